"""What PostgreSQL is asked about a transaction: its counters, cascades, triggers, times, and its own rows."""

from sqlalchemy import text

COUNTS = text(
    """
    SELECT CASE WHEN n.nspname = current_schema() THEN c.relname ELSE n.nspname || '.' || c.relname END AS name,
           sum(pg_stat_get_xact_tuples_inserted(leaf.oid))::bigint AS inserted,
           sum(pg_stat_get_xact_tuples_updated(leaf.oid))::bigint AS updated,
           sum(pg_stat_get_xact_tuples_deleted(leaf.oid))::bigint AS deleted
    FROM pg_class leaf
    JOIN pg_class c ON c.oid = coalesce(CASE WHEN leaf.relispartition THEN pg_partition_root(leaf.oid) END, leaf.oid)
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE leaf.relkind = 'r'
      AND pg_stat_get_xact_tuples_inserted(leaf.oid) + pg_stat_get_xact_tuples_updated(leaf.oid)
          + pg_stat_get_xact_tuples_deleted(leaf.oid) > 0
      AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
    GROUP BY 1
    """
)
CHILDREN = text(
    """
    SELECT CASE WHEN n.nspname = current_schema() THEN c.relname ELSE n.nspname || '.' || c.relname END AS child,
           k.confdeltype AS action,
           ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY u(num, at)
                 JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.num ORDER BY u.at) AS columns,
           ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY u(num, at)
                 JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.num ORDER BY u.at) AS parents
    FROM pg_constraint k
    JOIN pg_class c ON c.oid = k.conrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_class p ON p.oid = k.confrelid
    JOIN pg_namespace pn ON pn.oid = p.relnamespace
    WHERE k.contype = 'f' AND k.confdeltype IN ('c', 'n', 'd') AND k.conparentid = 0
      AND CASE WHEN pn.nspname = current_schema() THEN p.relname ELSE pn.nspname || '.' || p.relname END = :parent
    ORDER BY 1, k.conname
    """
)
TRIGGERS = text(
    """
    SELECT EXISTS (
        SELECT FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE NOT t.tgisinternal
      AND CASE WHEN n.nspname = current_schema() THEN c.relname ELSE n.nspname || '.' || c.relname END = :name)
    """
)
TIMES = text(
    """
    SELECT transaction_timestamp() AS begun, clock_timestamp() AS ended, current_setting('track_counts') AS counting,
           localtimestamp AT TIME ZONE 'UTC' - transaction_timestamp() AS ahead
    """
)
MINE = (
    "CASE WHEN age({t}.xmin) <= age(pg_current_xact_id()::xid) THEN pg_xact_status("
    "((((pg_current_xact_id()::text::bigint >> 32) << 32) + {t}.xmin::text::bigint)::text)::xid8) = 'in progress'"
    " ELSE false END"
)
"""A visible row whose writer is still in progress can only be this transaction's own, its savepoints included."""
MAKING = "{t}.cmin::text::bigint"
"""The command of this transaction that made the row, a trigger's own commands counted: the order of making."""
