"""The faces: one protocol each, strangers to one another."""
