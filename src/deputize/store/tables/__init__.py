"""Our tables, inside the host's database, without foreign keys to the host's own."""

from deputize.store.tables.base import PREFIX, metadata
from deputize.store.tables.chain import audit_entries, audit_heads, subject_keys
from deputize.store.tables.chat import conversations, messages, run_events, runs, sightings
from deputize.store.tables.chores import chores
from deputize.store.tables.ledger import ledger_scopes, reservations
from deputize.store.tables.outbox import outbox
from deputize.store.tables.policy import agent_changes, agents, switches, tenant_settings
from deputize.store.tables.tools import approvals, tool_calls
from deputize.store.tables.vault import vault_entries, vaults

__all__ = [
    "PREFIX",
    "agent_changes",
    "agents",
    "approvals",
    "audit_entries",
    "audit_heads",
    "chores",
    "conversations",
    "ledger_scopes",
    "messages",
    "metadata",
    "outbox",
    "reservations",
    "run_events",
    "runs",
    "sightings",
    "subject_keys",
    "switches",
    "tenant_settings",
    "tool_calls",
    "vault_entries",
    "vaults",
]
