"""`python -m vaulttools` is the command line."""

from vaulttools.cli.main import run

if __name__ == "__main__":
    run()
