"""How many open streams one process holds, what each costs, and how evenly its events come (SSE-1)."""
