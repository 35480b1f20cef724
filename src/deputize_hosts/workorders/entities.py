"""How the desk's rows are named, hidden, trusted and versioned wherever the copilot shows them."""

from deputize import Entity
from deputize_hosts.workorders.orders.models import TriageSuggestion, WorkOrder
from deputize_hosts.workorders.orders.status import PRIORITY_NAMES, STATUS_NAMES
from deputize_hosts.workorders.users.models import Role, User

STAMPS = frozenset({"created_at", "updated_at"})
STAMP_CAPTIONS = {
    "created_at": {"en": "Created", "es": "Creada"},
    "updated_at": {"en": "Last change", "es": "Último cambio"},
    "organisation_id": {"en": "Organisation", "es": "Organización"},
}
PRIORITY_VALUES = {f"priority={value.value}": dict(name) for value, name in PRIORITY_NAMES.items()}
STATUS_VALUES = {f"status={value.value}": dict(name) for value, name in STATUS_NAMES.items()}
ROLE_NAMES = {
    Role.VIEWER: {"en": "Viewer", "es": "Consulta"},
    Role.USER: {"en": "User", "es": "Usuario"},
    Role.ADMIN: {"en": "Admin", "es": "Administración"},
}

ORDER = Entity(
    "order",
    WorkOrder,
    tenant="organisation_id",
    label=lambda row: f"#{row.number} {row.title}",
    read="orders.read",
    url="/app/orders/{id}",
    version="version",
    changed="updated_at",
    volatile=STAMPS | {"number"},
    title={"en": "Work order", "es": "Orden de trabajo"},
    captions={
        **STAMP_CAPTIONS,
        **PRIORITY_VALUES,
        **STATUS_VALUES,
        "number": {"en": "Number", "es": "Número"},
        "title": {"en": "Title", "es": "Título"},
        "description": {"en": "Description", "es": "Descripción"},
        "priority": {"en": "Priority", "es": "Prioridad"},
        "status": {"en": "Status", "es": "Estado"},
        "owner_id": {"en": "Owner", "es": "Responsable"},
        "due_on": {"en": "Due", "es": "Para el día"},
        "version": {"en": "Version", "es": "Versión"},
    },
)

USER = Entity(
    "user",
    User,
    tenant="organisation_id",
    label=lambda row: str(row.name),
    read="users.admin",
    changed="updated_at",
    personal={"email": "EMAIL"},
    trusted=frozenset({"name", "email"}),
    volatile=STAMPS,
    title={"en": "User", "es": "Usuario"},
    captions={
        **STAMP_CAPTIONS,
        **{f"role={role.value}": names for role, names in ROLE_NAMES.items()},
        "name": {"en": "Name", "es": "Nombre"},
        "email": {"en": "E-mail", "es": "Correo"},
        "role": {"en": "Role", "es": "Función"},
        "ai_enabled": {"en": "Assistant", "es": "Asistente"},
    },
)

SUGGESTION = Entity(
    "suggestion",
    TriageSuggestion,
    tenant="organisation_id",
    label=lambda row: PRIORITY_NAMES[row.suggested_priority]["en"],
    read="orders.admin",
    volatile=frozenset({"created_at"}),
    title={"en": "Triage suggestion", "es": "Sugerencia de triaje"},
    captions={
        **STAMP_CAPTIONS,
        **{f"suggested_{name}": said for name, said in PRIORITY_VALUES.items()},
        "work_order_id": {"en": "Work order", "es": "Orden de trabajo"},
        "run_id": {"en": "Run", "es": "Ejecución"},
        "summary": {"en": "Summary", "es": "Resumen"},
        "suggested_priority": {"en": "Suggested priority", "es": "Prioridad sugerida"},
        "flag_for_dispatcher": {"en": "For the dispatcher", "es": "Para coordinación"},
        "applied": {"en": "Applied", "es": "Aplicada"},
        "decided_by": {"en": "Decided by", "es": "Decidida por"},
        "decided_at": {"en": "Decided", "es": "Decidida"},
    },
)

ENTITIES = (ORDER, USER, SUGGESTION)
