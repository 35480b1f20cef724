"""A dispatch desk for work orders: the second reference host."""
