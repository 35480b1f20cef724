"""What a turn costs: one user message with two model steps and one tool call, ours against the peers'."""
