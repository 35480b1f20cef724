"""Pages for those who watch over the agents; the data comes from the mounted admin interface."""
