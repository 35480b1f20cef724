"""The case desk's own database migrations."""
