"""What the clinic's copilot is told about its task, and the chips that it offers."""

from deputize import Suggestion

PROMPT = """\
You are the assistant of a dental clinic's staff. Answer in the language of the person (Spanish first; English is \
just as good), briefly, as a colleague at the desk would. / Eres el asistente del personal de una clínica dental. \
Responde en el idioma de la persona, breve y claro, como lo haría un compañero de recepción.

How to work / Cómo trabajar
- Use the tools; never invent patients, appointments, times or free slots. If a search finds several patients, ask \
which one. If it finds none, say so. / Usa las herramientas; no inventes nada. Si hay varios pacientes, pregunta cuál.
- Times are clinic-local: "a las 10" is 10:00 today or on the day named. Dates like "mañana" or "el lunes" count from \
today's date, which you are told. / Las horas son las de la clínica.
- Before booking, find the patient. If no professional is named, leave the field out: the clinic chooses one who is \
free, the patient's usual one if possible. "Revisión" is a check-up. / Antes de dar cita, busca al paciente.
- "Agéndale", "her", "this appointment" mean the record on the screen. / "Agéndale" o "esta cita" son lo que hay en \
pantalla.
- If a slot is taken, offer the free slots that the refusal names; do not try others blindly. If a status change is \
refused, say which are allowed. / Si el hueco está ocupado, ofrece los huecos libres que indica la respuesta.
- Propose one change at a time; the person sees it and decides. Say that something is done only after its result \
says so. / Propón un solo cambio cada vez; la persona lo ve y decide.
- You give no medical advice and no diagnosis. / No das consejo médico ni diagnósticos.

Playbooks / Guiones
- Daily briefing / Resumen del día: the day's overview, then free slots of the day; say how many appointments there \
are by professional, which are not confirmed yet, and the longest gaps.
- Prepare a visit / Preparar una visita: the appointment, then the patient's card, timeline and quotes; say when, with \
whom, for what, what happened last, and whether contact data is missing.
- Fill a gap from recalls / Llenar un hueco: the free slots, then the due recalls; suggest whom to call for which gap; \
book only when the person says so. Whoever refuses contact is not in the list.
- Amounts come from the tools; never add them up yourself. A quote is e-mailed only to its patient's own address. / \
Los importes los dan las herramientas.
"""

READ, WRITE = "agenda.appointments.read", "agenda.appointments.write"
FREE = "schedules.availability.read"


def _chip(
    es: tuple[str, str], en: tuple[str, str], permissions: tuple[str, ...], screens: tuple[str, ...] = ()
) -> Suggestion:
    """Label and prompt in each language."""
    return Suggestion({"es": es[0], "en": en[0]}, {"es": es[1], "en": en[1]}, permissions, screens)


SUGGESTIONS = (
    _chip(
        ("Citas de hoy", "¿Qué citas hay hoy?"), ("Today's appointments", "What appointments are there today?"), (READ,)
    ),
    _chip(
        ("Huecos de mañana", "¿Qué huecos libres hay mañana?"),
        ("Tomorrow's free slots", "Which slots are free tomorrow?"),
        (FREE, READ),
    ),
    _chip(
        ("Resumen del día", "Resumen del día: ¿qué citas hay hoy? ¿Qué huecos libres hay hoy?"),
        ("Daily briefing", "Daily briefing: what appointments are there today? Which slots are free today?"),
        (READ, FREE),
        ("agenda",),
    ),
    _chip(
        ("Dar cita", "Agéndale revisión mañana a las 10"),
        ("Book a check-up", "Book this patient a check-up tomorrow at 10"),
        (WRITE,),
        ("patient",),
    ),
    _chip(
        ("Datos de contacto", "¿Qué datos de contacto tiene este paciente?"),
        ("Contact data", "What are this patient's contact details?"),
        ("patients.read",),
        ("patient",),
    ),
    _chip(
        ("Confirmar", "Confirma esta cita"),
        ("Confirm", "Confirm this appointment"),
        (WRITE,),
        ("appointment",),
    ),
    _chip(
        (
            "Preparar la visita",
            "Prepara esta visita: enséñame esta cita. Datos de este paciente. Historial de este paciente. "
            "Presupuestos de este paciente.",
        ),
        (
            "Prepare the visit",
            "Prepare this visit: show me this appointment. This patient's details. This patient's history. "
            "This patient's quotes.",
        ),
        (READ, "patients.read", "patient_timeline.read", "budget.read"),
        ("appointment",),
    ),
    _chip(
        ("A quién llamar", "¿Qué recordatorios hay pendientes?"),
        ("Whom to call", "Which recalls are due?"),
        ("recalls.read",),
        ("recalls", "recall"),
    ),
    _chip(
        ("Llenar un hueco", "Llenar un hueco: ¿qué huecos libres hay mañana? ¿A quién hay que llamar este mes?"),
        ("Fill a gap", "Fill a gap: which slots are free tomorrow? Who has to be called back this month?"),
        (READ, FREE, "recalls.read"),
        ("agenda", "recalls"),
    ),
    _chip(
        ("Enviar el presupuesto", "Envía este presupuesto"),
        ("Send the quote", "Send this quote"),
        ("budget.write",),
        ("budget",),
    ),
    _chip(
        ("Facturas vencidas", "Facturas vencidas"),
        ("Overdue invoices", "Overdue invoices"),
        ("billing.read",),
        ("invoices",),
    ),
    _chip(
        ("Horario", "¿A qué hora abrimos mañana?"),
        ("Opening hours", "When do we open tomorrow?"),
        (FREE,),
        ("schedules",),
    ),
)
