"""Tables of the money: catalogue, counters, quotes, invoices, payments and their allocations."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "clinic_0002"
down_revision = "clinic_0001"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Tables in the order in which they refer to each other."""
    _catalog()
    _budget()
    _billing()
    _payments()


def _catalog() -> None:
    op.create_table(
        "catalog_items",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("code", sa.String(length=20), nullable=False),
        sa.Column("name_es", sa.String(length=120), nullable=False),
        sa.Column("name_en", sa.String(length=120), nullable=False),
        sa.Column("category", sa.String(length=16), nullable=False),
        sa.Column("price", sa.BigInteger(), nullable=False),
        sa.Column("minutes", sa.Integer(), nullable=False),
        sa.Column("vat_bp", sa.Integer(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.CheckConstraint(
            "price >= 0 AND vat_bp >= 0 AND vat_bp <= 10000 AND minutes >= 0", name=op.f("ck_catalog_items_amounts")
        ),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_catalog_items_clinic_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_catalog_items")),
        sa.UniqueConstraint("clinic_id", "code", name=op.f("uq_catalog_items_clinic_id_code")),
    )
    op.create_table(
        "number_counters",
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("series", sa.String(length=12), nullable=False),
        sa.Column("year", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_number_counters_clinic_id")),
        sa.PrimaryKeyConstraint("clinic_id", "series", "year", name=op.f("pk_number_counters")),
    )


def _line() -> list[sa.Column[Any]]:
    """What the lines of quotes and invoices have in common."""
    return [
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("catalog_item_id", sa.Uuid(), nullable=True),
        sa.Column("description", sa.String(length=200), nullable=False),
        sa.Column("unit_price", sa.BigInteger(), nullable=False),
        sa.Column("quantity", sa.Integer(), nullable=False),
        sa.Column("discount_bp", sa.Integer(), nullable=False),
        sa.Column("vat_bp", sa.Integer(), nullable=False),
        sa.Column("discount", sa.BigInteger(), nullable=False),
        sa.Column("net", sa.BigInteger(), nullable=False),
        sa.Column("vat", sa.BigInteger(), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
    ]


def _budget() -> None:
    op.create_table(
        "budgets",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("patient_id", sa.Uuid(), nullable=False),
        sa.Column("professional_id", sa.Uuid(), nullable=True),
        sa.Column("year", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("valid_from", sa.Date(), nullable=False),
        sa.Column("valid_until", sa.Date(), nullable=False),
        sa.Column("sent_at", MOMENT, nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("net", sa.BigInteger(), nullable=False),
        sa.Column("vat", sa.BigInteger(), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("total = net + vat", name=op.f("ck_budgets_sum")),
        sa.CheckConstraint("valid_until >= valid_from", name=op.f("ck_budgets_validity")),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_budgets_clinic_id")),
        sa.ForeignKeyConstraint(["patient_id"], ["patients.id"], name=op.f("fk_budgets_patient_id")),
        sa.ForeignKeyConstraint(["professional_id"], ["memberships.id"], name=op.f("fk_budgets_professional_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_budgets")),
        sa.UniqueConstraint(
            "clinic_id", "year", "number", "version", name=op.f("uq_budgets_clinic_id_year_number_version")
        ),
    )
    op.create_index("ix_budgets_patient", "budgets", ["clinic_id", "patient_id"])
    op.create_table(
        "budget_items",
        sa.Column("id", sa.Uuid(), nullable=False),
        *_line(),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("budget_id", sa.Uuid(), nullable=False),
        sa.CheckConstraint("discount_bp >= 0 AND discount_bp <= 10000", name=op.f("ck_budget_items_discount_rate")),
        sa.CheckConstraint(
            "net = unit_price * quantity - discount AND total = net + vat", name=op.f("ck_budget_items_sum")
        ),
        sa.CheckConstraint("quantity > 0", name=op.f("ck_budget_items_quantity")),
        sa.CheckConstraint("unit_price >= 0 AND vat_bp >= 0", name=op.f("ck_budget_items_price")),
        sa.ForeignKeyConstraint(
            ["budget_id"], ["budgets.id"], name=op.f("fk_budget_items_budget_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["catalog_item_id"], ["catalog_items.id"], name=op.f("fk_budget_items_catalog_item_id")
        ),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_budget_items_clinic_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_budget_items")),
        sa.UniqueConstraint("budget_id", "position", name=op.f("uq_budget_items_budget_id_position")),
    )
    op.create_index(op.f("ix_budget_items_budget_id"), "budget_items", ["budget_id"])


def _billing() -> None:
    op.create_table(
        "invoices",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("patient_id", sa.Uuid(), nullable=False),
        sa.Column("professional_id", sa.Uuid(), nullable=True),
        sa.Column("budget_id", sa.Uuid(), nullable=True),
        sa.Column("series", sa.String(length=12), nullable=True),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("issued_on", sa.Date(), nullable=True),
        sa.Column("due_on", sa.Date(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("net", sa.BigInteger(), nullable=False),
        sa.Column("vat", sa.BigInteger(), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "(status IN ('draft', 'voided')) = (number IS NULL AND series IS NULL AND issued_on IS NULL)",
            name=op.f("ck_invoices_numbered"),
        ),
        sa.CheckConstraint("total = net + vat", name=op.f("ck_invoices_sum")),
        sa.ForeignKeyConstraint(["budget_id"], ["budgets.id"], name=op.f("fk_invoices_budget_id")),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_invoices_clinic_id")),
        sa.ForeignKeyConstraint(["patient_id"], ["patients.id"], name=op.f("fk_invoices_patient_id")),
        sa.ForeignKeyConstraint(["professional_id"], ["memberships.id"], name=op.f("fk_invoices_professional_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invoices")),
        sa.UniqueConstraint("clinic_id", "series", "number", name=op.f("uq_invoices_clinic_id_series_number")),
    )
    op.create_index("ix_invoices_issued", "invoices", ["clinic_id", "issued_on"])
    op.create_index("ix_invoices_patient", "invoices", ["clinic_id", "patient_id"])
    op.create_table(
        "invoice_items",
        sa.Column("id", sa.Uuid(), nullable=False),
        *_line(),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("invoice_id", sa.Uuid(), nullable=False),
        sa.CheckConstraint("discount_bp >= 0 AND discount_bp <= 10000", name=op.f("ck_invoice_items_discount_rate")),
        sa.CheckConstraint(
            "net = unit_price * quantity - discount AND total = net + vat", name=op.f("ck_invoice_items_sum")
        ),
        sa.CheckConstraint("quantity > 0", name=op.f("ck_invoice_items_quantity")),
        sa.CheckConstraint("unit_price >= 0 AND vat_bp >= 0", name=op.f("ck_invoice_items_price")),
        sa.ForeignKeyConstraint(
            ["catalog_item_id"], ["catalog_items.id"], name=op.f("fk_invoice_items_catalog_item_id")
        ),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_invoice_items_clinic_id")),
        sa.ForeignKeyConstraint(
            ["invoice_id"], ["invoices.id"], name=op.f("fk_invoice_items_invoice_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invoice_items")),
        sa.UniqueConstraint("invoice_id", "position", name=op.f("uq_invoice_items_invoice_id_position")),
    )
    op.create_index(op.f("ix_invoice_items_invoice_id"), "invoice_items", ["invoice_id"])


def _payments() -> None:
    op.create_table(
        "payments",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("patient_id", sa.Uuid(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("method", sa.String(length=16), nullable=False),
        sa.Column("paid_on", sa.Date(), nullable=False),
        sa.Column("reference", sa.String(length=80), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.CheckConstraint("amount > 0", name=op.f("ck_payments_amount")),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_payments_clinic_id")),
        sa.ForeignKeyConstraint(["patient_id"], ["patients.id"], name=op.f("fk_payments_patient_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payments")),
    )
    op.create_index("ix_payments_day", "payments", ["clinic_id", "paid_on"])
    op.create_index("ix_payments_patient", "payments", ["clinic_id", "patient_id"])
    op.create_table(
        "payment_allocations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("payment_id", sa.Uuid(), nullable=False),
        sa.Column("invoice_id", sa.Uuid(), nullable=True),
        sa.Column("budget_id", sa.Uuid(), nullable=True),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("amount > 0", name=op.f("ck_payment_allocations_amount")),
        sa.CheckConstraint("invoice_id IS NULL OR budget_id IS NULL", name=op.f("ck_payment_allocations_one_purpose")),
        sa.ForeignKeyConstraint(["budget_id"], ["budgets.id"], name=op.f("fk_payment_allocations_budget_id")),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_payment_allocations_clinic_id")),
        sa.ForeignKeyConstraint(["invoice_id"], ["invoices.id"], name=op.f("fk_payment_allocations_invoice_id")),
        sa.ForeignKeyConstraint(["payment_id"], ["payments.id"], name=op.f("fk_payment_allocations_payment_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payment_allocations")),
    )
    op.create_index(op.f("ix_payment_allocations_budget_id"), "payment_allocations", ["budget_id"])
    op.create_index(op.f("ix_payment_allocations_invoice_id"), "payment_allocations", ["invoice_id"])
    op.create_index(op.f("ix_payment_allocations_payment_id"), "payment_allocations", ["payment_id"])
    op.create_table(
        "payment_refunds",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("payment_id", sa.Uuid(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("refunded_on", sa.Date(), nullable=False),
        sa.Column("reason", sa.String(length=300), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.CheckConstraint("amount > 0", name=op.f("ck_payment_refunds_amount")),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_payment_refunds_clinic_id")),
        sa.ForeignKeyConstraint(["payment_id"], ["payments.id"], name=op.f("fk_payment_refunds_payment_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payment_refunds")),
    )
    op.create_index(op.f("ix_payment_refunds_payment_id"), "payment_refunds", ["payment_id"])
    op.create_table(
        "payment_refund_shares",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("clinic_id", sa.Uuid(), nullable=False),
        sa.Column("refund_id", sa.Uuid(), nullable=False),
        sa.Column("allocation_id", sa.Uuid(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("amount > 0", name=op.f("ck_payment_refund_shares_amount")),
        sa.ForeignKeyConstraint(
            ["allocation_id"], ["payment_allocations.id"], name=op.f("fk_payment_refund_shares_allocation_id")
        ),
        sa.ForeignKeyConstraint(["clinic_id"], ["clinics.id"], name=op.f("fk_payment_refund_shares_clinic_id")),
        sa.ForeignKeyConstraint(["refund_id"], ["payment_refunds.id"], name=op.f("fk_payment_refund_shares_refund_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payment_refund_shares")),
    )
    op.create_index(op.f("ix_payment_refund_shares_allocation_id"), "payment_refund_shares", ["allocation_id"])
    op.create_index(op.f("ix_payment_refund_shares_refund_id"), "payment_refund_shares", ["refund_id"])


def downgrade() -> None:
    """Only the tables of this step."""
    for table in (
        "payment_refund_shares",
        "payment_refunds",
        "payment_allocations",
        "payments",
        "invoice_items",
        "invoices",
        "budget_items",
        "budgets",
        "number_counters",
        "catalog_items",
    ):
        op.drop_table(table)
