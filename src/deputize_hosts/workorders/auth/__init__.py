"""Signing in, lockout, and what each role may do."""
