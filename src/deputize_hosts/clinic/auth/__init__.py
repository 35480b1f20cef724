"""Clinics, users, memberships, roles and the sign-in."""
