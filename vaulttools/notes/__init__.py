"""What a note is: frontmatter, structure, tags."""
