"""Recalls: who should come back, when, and what came of calling them."""
