"""The command `deputize`: demo, serve, check, database and audit."""

from deputize.cli.main import main

__all__ = ["main"]
