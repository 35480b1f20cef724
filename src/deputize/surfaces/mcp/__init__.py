"""The face for clients of the Model Context Protocol: the governed tools, and no more; extra `[mcp]` (API-5)."""
