"""The deeds: one file for each thing that happens."""
