"""Discrepancies and what was decided about them; the Conflicts panel."""
