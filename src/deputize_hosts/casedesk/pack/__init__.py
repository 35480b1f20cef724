"""The regulator's pack of one case."""
