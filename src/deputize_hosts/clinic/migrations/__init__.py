"""The clinic's own database migrations."""
