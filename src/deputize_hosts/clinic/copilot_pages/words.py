"""Words of the copilot's pages, Spanish first, English in full."""

PAIRS: dict[str, tuple[str, str]] = {
    "menu.copilot": ("Asistente", "Assistant"),
    "copilot.sections": ("Apartados del asistente", "Sections of the assistant"),
    "copilot.talk": ("Conversación", "Conversation"),
    "copilot.talk.title": ("Asistente", "Assistant"),
    "copilot.history": ("Conversaciones anteriores", "Earlier conversations"),
    "copilot.approvals": ("Pendientes", "Waiting"),
    "copilot.approvals.title": ("Cambios que esperan tu decisión", "Changes that wait for your decision"),
    "copilot.runs": ("Ejecuciones", "Runs"),
    "copilot.runs.title": ("Ejecuciones", "Runs"),
    "copilot.usage": ("Uso", "Usage"),
    "copilot.usage.title": ("Uso y presupuestos", "Usage and budgets"),
    "copilot.audit": ("Registro", "Audit"),
    "copilot.audit.title": ("Registro de auditoría", "Audit log"),
    "copilot.settings": ("Ajustes", "Settings"),
    "copilot.settings.title": ("Ajustes del asistente", "Settings of the assistant"),
}
