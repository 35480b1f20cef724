"""Spanish words by concept: ordinary dictionary knowledge, nothing of any host.

`@` concepts are actions, `#` things, `=` values. `stem~` takes any regular verb ending with or without
attached pronouns; several words are a phrase. The first word of a thing or value is the one shown.
"""

from collections.abc import Mapping

CONCEPTS: Mapping[str, tuple[str, ...]] = {
    "@book": (
        "agend~", "reserv~", "cit~", "program~", "concert~", "dale cita", "darle cita", "dar cita", "ponle cita",
        "pon cita", "pide cita", "dame cita", "coge cita", "cogele cita", "dale hora", "darle hora", "dar hora",
        "ponle hora", "encaj~", "hazle cita", "hazle un hueco", "necesita una cita", "necesita cita", "quiere cita",
        "necesito cita", "necesito una cita", "quiere una cita", "necesita hora", "necesito hora", "hacer un hueco",
    ),
    "@cancel": ("cancel~", "anul~", "desconvoc~", "suspend~", "ya no viene", "no puede venir", "quita la cita"),
    "@delete": ("borr~", "elimin~", "suprim~", "quit~", "descart~", "tira"),
    "@move": (
        "mov~", "muev~", "reprogram~", "reagend~", "aplaz~", "pospon~", "pospong~", "retras~", "adelant~", "traslad~",
        "desplaz~", "pasa la cita", "pasale la cita", "pasa a", "pasala", "pasalo", "pasame la cita", "posponer",
    ),
    "@show": (
        "list~", "muestr~", "mostr~", "ensen~", "busc~", "busqu~", "localic~", "encuentr~", "encontr~", "ve", "ver",
        "verlo", "verla", "vea",
        "dame", "dime", "prepar~", "hazme", "saca", "sacame", "consult~", "mir~", "abre", "abreme", "hay",
        "cuales", "cual",
        "tienes", "tenemos", "localiz~", "revis~", "quiero ver", "tiene", "tengo",
    ),
    "@count": ("cuanto", "cuanta", "cuantos", "cuantas"),
    "@come": ("vien~", "vendr~", "venir", "acud~", "asist~", "toca", "nos visita", "esperamos", "citados", "citado"),
    "@create": (
        "cre~", "alta", "da de alta", "dar de alta", "dale de alta", "nuev~", "abrir", "gener~", "inscrib~", "abre un",
        "abre una",
    ),
    "@record": ("registr~", "anot~", "apunt~", "anad~", "agreg~", "met~", "guard~", "introduc~"),
    "@remember": ("recuerd~", "recorda~", "memoriz~", "ten en cuenta"),
    "@update": ("actualiz~", "cambi~", "modific~", "edit~", "corrig~", "correg~", "rectific~", "sustituy~"),
    "@rename": ("renombr~", "retitul~"),
    "@put": (
        "pon", "ponle", "ponlo", "ponla", "poner", "haz", "hazle", "hacer", "pasa", "dale", "deja", "devuelv~",
        "devolv~",
    ),
    "@mark": ("marc~", "marqu~", "señal~", "pon como", "dalo por", "dala por", "da por"),
    "@send": ("envi~", "mand~", "remit~", "reenvi~"),
    "@pay": ("cobr~", "pag~", "abon~", "recaud~", "ingres~", "ha pagado"),
    "@call": ("llam~", "contact~", "telefone~", "avis~"),
    "@resolve": ("resuelv~", "resolv~", "solucion~"),
    "@escalate": ("escal~", "elev~"),
    "@complete": ("complet~", "termin~", "finaliz~", "cierr~", "cerrar", "acab~"),
    "#appointment": ("cita", "visita", "turno", "reserva", "hora reservada"),
    "#patient": ("paciente",),
    "#slot": ("hueco", "hora libre", "disponibilidad", "espacio", "huequito", "horas disponibles"),
    "#free": ("libre", "disponible", "vacio", "hay sitio"),
    "#agenda": ("agenda", "jornada", "calendario", "planning", "planificacion", "programa", "dia"),
    "#who": ("quien", "quienes"),
    "#professional": ("profesional", "doctor", "doctora", "dentista", "medico", "higienista", "odontologo", "equipo"),
    "#room": ("gabinete", "sala", "sillon", "box", "consulta"),
    "#budget": ("presupuesto",),
    "#invoice": ("factura",),
    "#billing": ("facturacion", "facturado", "facturan", "facturamos"),
    "#payment": ("pago", "cobro", "abono", "recaudacion"),
    "#recall": ("recordatorio", "rellamada", "seguimiento", "recall"),
    "#order": ("orden", "orden de trabajo", "parte", "incidencia"),
    "#user": ("usuario", "usuaria"),
    "#case": ("caso", "expediente"),
    "#discrepancy": ("discrepancia", "conflicto"),
    "#treatment": ("tratamiento", "procedimiento", "servicio"),
    "#item": ("articulo", "concepto"),
    "#catalog": ("catalogo", "tarifario"),
    "#file": ("ficha", "datos", "detalle"),
    "#history": ("historial", "historia", "cronologia", "linea de tiempo"),
    "#report": ("informe", "reporte", "estadisticas", "metricas"),
    "#summary": ("resumen",),
    "#price": ("precio", "tarifa", "cuesta", "vale"),
    "#method": ("metodo", "forma de pago", "medio de pago"),
    "#status": ("estado", "situacion"),
    "#priority": ("prioridad", "urgencia"),
    "#phone": ("teléfono", "movil", "celular"),
    "#email": ("correo", "email", "correo electronico", "mail"),
    "#address": ("dirección", "domicilio"),
    "#birth": ("fecha de nacimiento", "nacimiento", "nacido", "nacida", "nacio"),
    "#note": ("nota", "comentario", "observacion"),
    "#reason": ("motivo", "razon", "causa"),
    "#name": ("nombre", "llam~ de nombre"),
    "#last": ("apellidos", "apellido"),
    "#title": ("título", "titulo", "asunto"),
    "#description": ("descripción", "descripcion"),
    "#amount": ("importe", "cantidad", "euros", "monto", "total"),
    "#date": ("fecha",),
    "#start": ("inicio", "comienzo", "desde"),
    "#end": ("fin", "final", "hasta"),
    "#due": ("vencimiento", "vence", "vencen", "fecha limite", "plazo"),
    "#duration": ("duración", "duracion", "minutos", "minuto"),
    "#top": ("mejores", "principales", "top", "más facturan"),
    "#number": ("número", "numero"),
    "#profile": ("perfil", "mi cuenta"),
    "#role": ("rol", "puesto"),
    "#month": ("mes", "meses"),
    "#availability": ("horario", "horarios", "turnos de trabajo"),
    "=pending": ("pendiente", "por hacer"),
    "=scheduled": ("programada", "programado"),
    "=confirmed": ("confirmada", "confirmado", "confirm~"),
    "=arrived": ("en recepción", "ha llegado", "llego", "llegado", "llegada", "sala de espera", "ya esta aqui"),
    "=treating": ("en tratamiento", "ha pasado", "en gabinete", "dentro"),
    "=done": ("hecha", "hecho", "completada", "completado", "terminada", "terminado", "finalizada", "acabada"),
    "=progress": (
        "en curso", "en marcha", "en progreso", "empezada", "empezado", "empiez~", "empez~", "comienz~", "en proceso",
    ),
    "=cancelled": ("cancelada", "cancelado", "anulada", "anulado"),
    "=noshow": (
        "no presentada", "no se ha presentado", "no se presento", "no ha venido", "no vino", "no presentado",
        "no aparecio", "ausente", "falto",
    ),
    "=low": ("baja", "bajo"),
    "=medium": ("media", "medio", "normal"),
    "=high": ("alta", "alto", "importante"),
    "=urgent": ("urgente", "urgencia", "urge", "emergencia", "inmediato", "critica", "cuanto antes"),
    "=cash": ("efectivo", "metalico", "contado"),
    "=card": ("tarjeta", "visa", "datafono"),
    "=transfer": ("transferencia", "transferencia bancaria"),
    "=debit": ("domiciliación", "domiciliacion", "domiciliado", "adeudo"),
    "=insurance": ("seguro", "aseguradora", "mutua"),
    "=hygiene": ("higiene", "limpieza", "profilaxis"),
    "=checkup": ("revisión", "revision", "chequeo", "reconocimiento"),
    "=ortho": ("ortodoncia", "brackets"),
    "=implant": ("implante",),
    "=noanswer": ("sin respuesta", "no contesta", "no ha contestado", "no contesto", "no responde", "no coge"),
    "=voicemail": ("buzón", "buzon", "contestador"),
    "=declined": ("rechazada", "rechaz~", "no quiere", "no le interesa", "declin~"),
    "=wrong": ("número equivocado", "equivocado", "erroneo"),
    "=other": ("otro", "otra", "otros"),
    "=draft": ("borrador",),
    "=sent": ("enviado", "enviada"),
    "=accepted": ("aceptado", "aceptada"),
    "=paid": ("pagada", "pagado", "cobrada"),
    "=partial": ("parcial", "parcialmente"),
    "=issued": ("emitida", "emitido"),
    "=expired": ("caducado", "caducada", "vencido", "vencida"),
    "=open": ("abierta", "abierto"),
    "=morning": ("mañana", "por la manana"),
    "=afternoon": ("tarde", "por la tarde"),
    "=evening": ("noche", "por la noche"),
    "=phonecall": ("llamada", "llamo", "por telefono"),
    "=active": ("activo", "activa"),
    "=archived": ("archivado", "archivada"),
    "=overdue": ("atrasado", "atrasada", "vencido"),
}  # fmt: skip

_FUNCTION_TEXT = (
    "dr dra sr sra srta mr mrs ms "
    "a al ante con de del desde en entre hacia hasta para por segun sin sobre tras y e o u ni que si no "
    "ya se le les lo la los las el un una unos unas uno me te nos mi mis tu tus su sus este esta esto "
    "estos estas ese esa eso esos esas aquel aquella como mas muy tambien pues porque por favor favor "
    "gracias hola buenas buenos dias tardes quiero quisiera puedes podrias puede pueden podemos podria "
    "necesito necesita quiere hay tengo tiene es son esta estan era fue ser estar he ha han hemos haber "
    "va voy vamos ir cuando donde cual cuales cuanto cuantos cuanta cuantas quien quienes algo alguien "
    "alguno alguna algun todo toda todos todas otro otra vez ahora luego entonces mejor solo llame llamen "
    "llama llaman llamado llamada llamados nombre apellido apellidos sea sean aqui alli cada otra"
)
FUNCTION = frozenset(_FUNCTION_TEXT.split())

MARKS: Mapping[str, str] = {
    "a": "to", "al": "to", "para": "to", "de": "of", "del": "of", "con": "with", "por": "with", "llame": "named",
    "llamen": "named", "llama": "named", "llaman": "named", "llamado": "named", "llamada": "named", "paciente": "named",
    "pacientes": "named", "nombre": "named", "apellido": "named", "apellidos": "named", "sobre": "of",
    "dr": "title", "dra": "title", "doctor": "title", "doctora": "title", "sr": "of", "sra": "of", "dona": "of",
}  # fmt: skip
