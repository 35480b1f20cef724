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
    ),
}
YES = frozenset({"y", "yes", "s", "si", "sí"})
NO = frozenset({"n", "no"})
