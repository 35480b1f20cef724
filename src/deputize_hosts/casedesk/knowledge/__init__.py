"""A small library of regulations, house standards and guidance for customers."""
