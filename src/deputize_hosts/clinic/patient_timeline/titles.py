"""What the timeline calls the things that happen, in both languages."""

from collections.abc import Mapping

TITLES: Mapping[str, tuple[str, str]] = {
    "patient_created": ("Alta del paciente", "Patient registered"),
    "patient_archived": ("Paciente archivado", "Patient archived"),
    "patient_restored": ("Paciente reactivado", "Patient restored"),
    "appointment_booked": ("Cita dada", "Appointment booked"),
    "appointment_moved": ("Cita cambiada de hora", "Appointment rescheduled"),
    "appointment_confirmed": ("Cita confirmada", "Appointment confirmed"),
    "appointment_checked_in": ("Ha llegado a la clínica", "Arrived at the clinic"),
    "appointment_in_treatment": ("Tratamiento empezado", "Treatment started"),
    "appointment_completed": ("Visita terminada", "Visit completed"),
    "appointment_cancelled": ("Cita anulada", "Appointment cancelled"),
    "appointment_no_show": ("No se presentó a la cita", "Did not show up"),
    "recall_created": ("Recordatorio creado", "Recall created"),
    "recall_updated": ("Recordatorio actualizado", "Recall updated"),
    "recall_attempt": ("Intento de contacto", "Contact attempt"),
    "recall_snoozed": ("Recordatorio aplazado", "Recall snoozed"),
    "recall_done": ("Recordatorio hecho", "Recall done"),
    "recall_cancelled": ("Recordatorio anulado", "Recall cancelled"),
    "budget_created": ("Presupuesto creado", "Quote created"),
    "budget_sent": ("Presupuesto enviado", "Quote sent"),
    "budget_accepted": ("Presupuesto aceptado", "Quote accepted"),
    "budget_rejected": ("Presupuesto rechazado", "Quote rejected"),
    "budget_expired": ("Presupuesto caducado", "Quote expired"),
    "budget_cancelled": ("Presupuesto anulado", "Quote cancelled"),
    "invoice_issued": ("Factura emitida", "Invoice issued"),
    "invoice_cancelled": ("Factura anulada", "Invoice cancelled"),
    "payment_recorded": ("Cobro registrado", "Payment recorded"),
    "payment_refunded": ("Devolución", "Refund"),
}


def title(what: str, language: str) -> str:
    """The words for an event."""
    spanish, english = TITLES[what]
    return english if language == "en" else spanish
