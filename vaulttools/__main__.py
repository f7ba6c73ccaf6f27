"""Runs the command line for `python -m vaulttools`."""

from vaulttools.cli.main import run

if __name__ == "__main__":
    run()
