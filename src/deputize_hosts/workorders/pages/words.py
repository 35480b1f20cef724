"""All words of the desk's pages, English first, Spanish in full."""

from deputize_hosts.kit.language import Words
from deputize_hosts.workorders.entities import ROLE_NAMES
from deputize_hosts.workorders.orders.status import PRIORITY_NAMES, STATUS_NAMES
from deputize_hosts.workorders.pages.agent_words import AGENT_PAIRS

_PAIRS: dict[str, tuple[str, str]] = {
    "app": ("Work Order Desk", "Órdenes de trabajo"),
    "kit.skip": ("Skip to content", "Saltar al contenido"),
    "kit.menu": ("Sections", "Secciones"),
    "kit.home": ("Back to the start", "Volver al inicio"),
    "kit.language.es": ("Español", "Español"),
    "kit.language.en": ("English", "English"),
    "menu.orders": ("My orders", "Mis órdenes"),
    "menu.all": ("All orders", "Todas"),
    "menu.attention": ("Attention", "Atención"),
    "menu.users": ("Users", "Usuarios"),
    "menu.agents": ("Agents", "Agentes"),
    "menu.copilot": ("Copilot", "Copiloto"),
    "sign_in": ("Sign in", "Entrar"),
    "sign_out": ("Sign out", "Salir"),
    "sign_in.title": ("Sign in to the desk", "Entrar"),
    "sign_in.email": ("E-mail", "Correo"),
    "sign_in.password": ("Password", "Contraseña"),
    "sign_in.wrong": (
        "The e-mail or the password is wrong. After five wrong tries an account rests for fifteen minutes.",
        "El correo o la contraseña no son correctos. Tras cinco intentos fallidos la cuenta descansa quince minutos.",
    ),
    "sign_in.loopback": (
        "Demonstration accounts only work on this very machine.",
        "Las cuentas de demostración solo funcionan en este mismo equipo.",
    ),
    "problem.not_found": ("Not found", "No se encuentra"),
    "problem.not_allowed": ("Not allowed", "Sin permiso"),
    "problem.csrf": ("The page has expired", "La página ha caducado"),
    "problem.csrf.text": (
        "Go back to the previous page, reload it and try again.",
        "Vuelva a la página anterior, recárguela e inténtelo otra vez.",
    ),
    "problem.other": ("It could not be done", "No se ha podido hacer"),
    "problem.no_page": ("That page does not exist.", "Esa página no existe."),
    "save": ("Save", "Guardar"),
    "cancel": ("Never mind", "Dejarlo"),
    "edit": ("Edit", "Editar"),
    "optional": ("optional", "opcional"),
    "pages.before": ("Previous", "Anterior"),
    "pages.after": ("Next", "Siguiente"),
    "pages.where": ("Page {page} of {pages}", "Página {page} de {pages}"),
    "orders.mine": ("My orders", "Mis órdenes"),
    "orders.all": ("All orders", "Todas las órdenes"),
    "orders.new": ("New order", "Nueva orden"),
    "orders.search": ("Number or words of title and description", "Número o palabras del título y la descripción"),
    "orders.find": ("Search", "Buscar"),
    "orders.show": ("Show", "Ver"),
    "orders.show.open": ("Open", "Abiertas"),
    "orders.show.every": ("Every status", "Todos los estados"),
    "orders.none": ("No orders match.", "No hay órdenes así."),
    "orders.none.mine": ("Nothing is on your list.", "No tiene nada en su lista."),
    "orders.total": ("{n} orders", "{n} órdenes"),
    "orders.total.one": ("1 order", "1 orden"),
    "order": ("Order", "Orden"),
    "order.number": ("No.", "N.º"),
    "order.title": ("Title", "Título"),
    "order.title.hint": ("What is wrong, and where", "Qué ocurre, y dónde"),
    "order.description": ("Description", "Descripción"),
    "order.description.none": ("No description.", "Sin descripción."),
    "order.priority": ("Priority", "Prioridad"),
    "order.status": ("Status", "Estado"),
    "order.owner": ("Owner", "Responsable"),
    "order.due": ("Due", "Para el día"),
    "order.late": ("Overdue", "Vencida"),
    "order.created": ("Created", "Creada"),
    "order.updated": ("Last change", "Último cambio"),
    "order.version": ("Version", "Versión"),
    "order.edit": ("Edit the order", "Editar la orden"),
    "order.saved": ("Order saved.", "Orden guardada."),
    "order.created.done": ("Order {number} created.", "Orden {number} creada."),
    "order.moved": ("Status changed.", "Estado cambiado."),
    "order.next": ("Next step", "Siguiente paso"),
    "order.over": ("This order is closed.", "Esta orden está cerrada."),
    "order.delete": ("Delete for good", "Eliminar para siempre"),
    "order.delete.why": (
        "A cancelled order stays as a record; a deleted one is gone, with what was suggested about it.",
        "Una orden cancelada queda registrada; una eliminada desaparece, con lo que se sugirió sobre ella.",
    ),
    "order.deleted": ("Order {number} deleted.", "Orden {number} eliminada."),
    "order.stale": ("See it as it is now", "Verla como está ahora"),
    "move.pending": ("Back to pending", "Volver a pendiente"),
    "move.in_progress": ("Start", "Empezar"),
    "move.done": ("Done", "Terminada"),
    "move.cancelled": ("Cancel the order", "Cancelar la orden"),
    "suggestion": ("Triage suggests", "El triaje sugiere"),
    "suggestion.accept": ("Set to “{priority}”", "Poner «{priority}»"),
    "suggestion.dismiss": ("Dismiss", "Descartar"),
    "suggestion.flagged": ("For the dispatcher", "Para coordinación"),
    "suggestion.waiting": (
        "Triage has not looked at this order yet.",
        "El triaje aún no ha mirado esta orden.",
    ),
    "suggestion.accepted": ("Accepted: priority set.", "Aceptada: prioridad cambiada."),
    "suggestion.dismissed": ("Dismissed.", "Descartada."),
    "suggestion.applied": ("Set automatically, by policy.", "Aplicada de forma automática, según la política."),
    "suggestion.opted_out": (
        "The owner has no assistant: triage leaves this order alone.",
        "Su responsable no usa el asistente: el triaje no mira esta orden.",
    ),
    "suggestion.model": (
        "Written by a model from the order's text. Check before you rely on it.",
        "Lo ha escrito un modelo a partir del texto de la orden. Compruébelo antes de fiarse.",
    ),
    "suggestion.run": ("The run behind it", "La ejecución"),
    "attention.title": ("Needs a dispatcher", "Necesita coordinación"),
    "attention.lead": (
        "Open orders that triage flagged and nobody has dealt with.",
        "Órdenes abiertas que el triaje ha marcado y nadie ha atendido.",
    ),
    "attention.none": ("Nothing needs you.", "No hay nada pendiente."),
    "attention.reason": ("Why", "Por qué"),
    "attention.suggested": ("Suggested", "Sugerida"),
    "users.title": ("Users", "Usuarios"),
    "users.search": ("Name or e-mail", "Nombre o correo"),
    "users.name": ("Name", "Nombre"),
    "users.email": ("E-mail", "Correo"),
    "users.role": ("Role", "Función"),
    "users.ai": ("Assistant", "Asistente"),
    "users.ai.on": ("On", "Encendido"),
    "users.ai.off": ("Off", "Apagado"),
    "users.ai.switch_off": ("Switch off", "Apagar"),
    "users.ai.switch_on": ("Switch on", "Encender"),
    "users.ai.hint": (
        "Switched off, neither the copilot nor triage works for this person or sends their orders to a model.",
        "Apagado, ni el copiloto ni el triaje trabajan para esa persona ni envían sus órdenes a un modelo.",
    ),
    "users.inactive": ("Left", "Ya no está"),
    "copilot.title": ("Copilot", "Copiloto"),
    "copilot.off": ("The copilot is switched off here.", "Aquí el copiloto está apagado."),
}
_MONTHS_EN = "January February March April May June July August September October November December"
_MONTHS_ES = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"

_PAIRS |= {
    f"month.{n}": (en, es)
    for n, (en, es) in enumerate(zip(_MONTHS_EN.split(), _MONTHS_ES.split(), strict=True), start=1)
}
_PAIRS |= {f"status.{status.value}": (name["en"], name["es"]) for status, name in STATUS_NAMES.items()}
_PAIRS |= {f"priority.{priority.value}": (name["en"], name["es"]) for priority, name in PRIORITY_NAMES.items()}
_PAIRS |= {f"role.{role.value}": (name["en"], name["es"]) for role, name in ROLE_NAMES.items()}

WORDS = Words({key: {"en": en, "es": es} for key, (en, es) in {**_PAIRS, **AGENT_PAIRS}.items()}, ("en", "es"))
