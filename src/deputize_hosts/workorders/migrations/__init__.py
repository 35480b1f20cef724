"""The work-order desk's own database migrations."""
