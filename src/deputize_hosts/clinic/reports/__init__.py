"""Reports: what was invoiced and how the agenda was used, by period."""
