"""One file for each step of the clinic's schema."""
