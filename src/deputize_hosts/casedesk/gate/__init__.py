"""The approval gate, alone: what feeds it and what it says about a case."""
