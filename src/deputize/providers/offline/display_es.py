"""Spanish for the fields and values that business records commonly have: ordinary words, nothing of any host."""

from collections.abc import Mapping

FIELDS: Mapping[str, str] = {
    "allowed statuses": "Puede pasar a", "amount": "Importe", "appointments": "Citas", "attempts": "Intentos",
    "birth date": "Fecha de nacimiento", "budgets": "Presupuestos", "cancelled": "Canceladas", "category": "Categoría",
    "channel": "Medio", "code": "Código", "collected": "Cobrado", "count": "Cantidad", "created": "Nuevo",
    "currency": "Moneda", "day": "Día", "days": "Días", "description": "Descripción", "detail": "Detalle",
    "discount": "Descuento", "discount percent": "Descuento (%)", "do not contact": "No contactar",
    "due month": "Para el mes", "due on": "Vence", "duration minutes": "Minutos", "email": "Correo", "end": "Fin",
    "first": "Desde", "first name": "Nombre", "hours": "Horas", "invoices": "Facturas", "issued on": "Emitida",
    "items": "Líneas", "kind": "Tipo", "last": "Hasta", "last name": "Apellidos", "lines": "Líneas",
    "method": "Forma de pago", "minutes": "Minutos", "missed percent": "Ausencias (%)", "month": "Mes",
    "months": "Por mes", "name": "Nombre", "national id": "Documento", "net": "Base", "note": "Nota", "notes": "Notas",
    "on account": "A cuenta", "open": "Abierto", "outcome": "Resultado", "outstanding": "Pendiente",
    "overdue": "Vencida", "patients": "Pacientes", "payments": "Cobros", "price": "Precio", "priority": "Prioridad",
    "professionals": "Por profesional", "quantity": "Cantidad", "reason": "Motivo", "reference": "Referencia",
    "refunded": "Devuelto", "role": "Puesto", "start": "Inicio", "status": "Estado", "title": "Título",
    "total": "Total", "unit price": "Precio", "valid until": "Válido hasta", "vat": "IVA", "vat percent": "IVA (%)",
    "by professional": "Por profesional", "by status": "Por estado", "by treatment": "Por tratamiento",
    "by method": "Por forma de pago",
}  # fmt: skip
"""Captions by the field's name with spaces."""

VALUES: Mapping[str, str] = {
    "active": "activo", "admin": "administración", "aesthetics": "estética", "appointment": "cita",
    "archived": "archivado", "assistant": "auxiliar", "budget": "presupuesto", "dentist": "odontología",
    "diagnosis": "diagnóstico", "endodontics": "endodoncia", "extraction": "extracción", "hygienist": "higiene",
    "implants": "implantes", "invoice": "factura", "normal": "normal", "orthodontics": "ortodoncia", "other": "otros",
    "patient": "paciente", "payment": "cobro", "phone": "teléfono", "prevention": "prevención",
    "prosthetics": "prótesis", "recall": "recordatorio", "receptionist": "recepción", "restoration": "conservadora",
    "surgery": "cirugía",
}  # fmt: skip
"""Words of common enumerations by the value with spaces."""

REASONS: Mapping[str, str] = {
    "denylisted": "El operador ha bloqueado esta acción.",
    "AI_INJECTION_BLOCKED": "Aquí no se ha mostrado antes.",
    "read_only": "Aquí no se puede cambiar nada.",
    "AI_DISABLED": "El asistente está desactivado.",
    "permission_denied": "No tienes permiso para esto.",
    "rate_limited": "Demasiadas acciones en un minuto.",
    "session_limit": "Demasiadas acciones en esta conversación.",
    "write_cap": "No caben más cambios en esta petición.",
    "no_effect": "No cambiaría nada.",
    "unknown_actor": "La persona ya no consta aquí.",
    "guard_failed": "No se ha podido comprobar si está permitido.",
    "need_read_first": "Antes hay que consultarlo.",
    "one_change_at_a_time": "Los cambios se proponen de uno en uno.",
    "tool_changed": "La acción ha cambiado desde que se propuso.",
}
"""Why the deputy itself said no, by code; a host's own codes come with the host's words."""
