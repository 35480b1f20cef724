"""The ledger's queries: reserve in every scope at once, settle, release, expire (BUD-1, BUD-2)."""
