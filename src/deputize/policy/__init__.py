"""Rules: pure functions that decide, without I/O or clock."""
