"""Opening hours, exceptions and free slots."""
