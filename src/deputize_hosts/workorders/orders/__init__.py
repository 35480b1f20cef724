"""Work orders, and the suggestions of automated triage about them."""
