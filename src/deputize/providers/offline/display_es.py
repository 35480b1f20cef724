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
