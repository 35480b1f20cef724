"""Names that the migrations and their caller share."""

HEAD = "0001"
"""The newest revision, which this version of the package needs."""
VERSION_TABLE = "deputize_version"
AUDIT_TABLES = ("deputize_audit_entries", "deputize_audit_heads", "deputize_subject_keys")
"""What a downgrade leaves in place unless told otherwise: the record outlives the software."""
