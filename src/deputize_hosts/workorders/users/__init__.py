"""Organisations and their users."""
