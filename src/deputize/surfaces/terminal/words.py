"""What the terminal itself says, in English and Spanish."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """The terminal's own words; everything else is the server's or the model's."""

    prompt: str
    approve: str
    type: str
    waits: str
    pending: str
    another: str
    stopped: str
    expired: str
    no_answer: str
    cut: str
    stale: str
    budget: str
    nothing: str
    outgoing: str
    hidden: str
    marks: dict[str, str]
    outcomes: dict[str, str]
    faults: dict[str, str]
    """By code of an error (API-3) or of a run's end; a code without words here is told as the error itself says it."""


FAULTS_ES = {
    "UNAUTHENTICATED": "Inicia sesión para usar el asistente.",
    "FORBIDDEN": "No tienes permiso para esto.",
    "NOT_FOUND": "No existe o no es tuyo.",
    "TOO_LARGE": "La petición es demasiado grande.",
    "VALIDATION_ERROR": "La petición no es válida.",
    "AI_UNAVAILABLE": "No está disponible ahora; inténtalo más tarde.",
    "AI_BUDGET_EXCEEDED": "El presupuesto de este periodo está agotado.",
    "AI_RATE_LIMITED": "Demasiados mensajes; espera un momento.",
    "AI_APPROVAL_PENDING": "Hay un cambio por decidir; decídelo o retíralo antes.",
    "AI_APPROVAL_RESOLVED": "Este cambio ya se decidió.",
    "AI_APPROVAL_STALE": "Lo que pasaría ha cambiado; míralo de nuevo.",
    "AI_MESSAGE_DUPLICATE": "Este mensaje ya se recibió.",
    "AI_RUN_NOT_ACTIVE": "Esta petición ya ha terminado.",
    "AI_SESSION_FULL": "La conversación está llena; empieza una nueva.",
    "AI_APPROVAL_EXPIRED": "Se acabó el tiempo para decidir; pídelo otra vez.",
    "AI_INJECTION_BLOCKED": "La petición nombra algo que nunca se mostró.",
    "AI_CONFIRMATION_MISMATCH": "Lo escrito no coincide con lo que pide la tarjeta.",
    "AI_DISABLED": "El asistente está desactivado.",
    "length": "La respuesta se cortó porque era demasiado larga.",
    "content_filter": "El proveedor del modelo retuvo la respuesta.",
    "stream_broken": "Se cortó la conexión con el modelo.",
    "unknown_tool": "El modelo pedía una y otra vez herramientas que no existen.",
    "invalid_arguments": "El modelo enviaba una y otra vez argumentos que no valen.",
    "loop_detected": "El modelo daba vueltas sobre lo mismo y se detuvo.",
    "RUN_LEASE_LOST": "El proceso que trabajaba en esto se detuvo; inténtalo de nuevo.",
    "detection_failed": "No se pudo comprobar si el texto tenía datos personales y no se envió.",
}

WORDS = {
    "en": Words(
        prompt="you> ",
        approve="Approve? [y/n] ",
        type="Type {what} to confirm: ",
        waits="(The change stays open until it is decided or its time is over.)",
        pending="A change from before is still open:",
        another="(Another person decides this change.)",
        stopped="(stopped)",
        expired="(the time to decide is over)",
        no_answer="(no answer)",
        cut="(the answer was cut)",
        stale="What would happen has changed; look again.",
        budget="The budget is used up ({scope}, {period}).",
        nothing="nothing",
        outgoing="leaves the house",
        hidden="not shown",
        marks={
            "model_text": "written by the assistant",
            "link": "contains a link or an address",
            "untrusted": "copied from somebody else’s text",
            "unproven": "unconfirmed destination",
            "personal": "personal data",
            "invisible": "invisible characters made visible",
        },
        outcomes={
            "refused": "refused",
            "invalid": "invalid request",
            "blocked": "blocked",
            "failed": "failed",
            "rejected": "rejected",
            "expired": "expired",
            "stale": "out of date",
            "unknown_effect": "effect unknown: a person has to check",
        },
        faults={},
    ),
    "es": Words(
        prompt="tú> ",
        approve="¿Aprobar? [s/n] ",
        type="Escribe {what} para confirmar: ",
        waits="(El cambio queda abierto hasta que se decida o se acabe su tiempo.)",
        pending="Sigue abierto un cambio de antes:",
        another="(Este cambio lo decide otra persona.)",
        stopped="(detenido)",
        expired="(se acabó el tiempo para decidir)",
        no_answer="(sin respuesta)",
        cut="(la respuesta se cortó)",
        stale="Lo que pasaría ha cambiado; míralo de nuevo.",
        budget="El presupuesto está agotado ({scope}, {period}).",
        nothing="nada",
        outgoing="se envía fuera",
        hidden="no se muestra",
        marks={
            "model_text": "redactado por el asistente",
            "link": "contiene un enlace o una dirección",
            "untrusted": "copiado de un texto ajeno",
            "unproven": "destino sin confirmar",
            "personal": "dato personal",
            "invisible": "caracteres invisibles a la vista",
        },
        outcomes={
            "refused": "denegado",
            "invalid": "petición no válida",
            "blocked": "bloqueado",
            "failed": "falló",
            "rejected": "rechazado",
            "expired": "caducado",
            "stale": "desactualizado",
            "unknown_effect": "efecto desconocido: alguien tiene que comprobarlo",
        },
        faults=FAULTS_ES,
    ),
}
YES = frozenset({"y", "yes", "s", "si", "sí"})
NO = frozenset({"n", "no"})
