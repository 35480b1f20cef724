"""The provenance of every change: SignalEvents, and their mirror in the audit chain."""
