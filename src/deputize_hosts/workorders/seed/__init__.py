"""Demonstration data: two organisations, their people and their orders."""
