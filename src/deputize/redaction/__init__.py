"""The veil: real values become tokens and come back."""
