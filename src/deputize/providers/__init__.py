"""The wires: one adapter for each vendor's protocol."""
