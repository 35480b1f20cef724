"""The memory: every query and the one committer."""
