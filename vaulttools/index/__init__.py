"""The index of a vault: what nominates the files in which ripgrep then looks."""
