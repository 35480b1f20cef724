"""Payments: money received, what it pays for, and what was given back."""
