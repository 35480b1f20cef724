"""Patients: who they are and how to reach them."""
