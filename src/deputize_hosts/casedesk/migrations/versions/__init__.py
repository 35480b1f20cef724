"""One file for each step of the case desk's schema."""
