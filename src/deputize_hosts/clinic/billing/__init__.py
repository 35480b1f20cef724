"""Invoices: numbered on issue, paid by allocations, never by hand."""
