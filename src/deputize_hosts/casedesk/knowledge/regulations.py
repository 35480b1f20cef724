"""Regulations in our own words, for orientation at the desk; no text of law is reproduced and none is replaced."""

from deputize_hosts.casedesk.knowledge.texts import text

SHELF = "regulations"

REGULATIONS = (
    text(
        SHELF,
        "beneficial-owner",
        (
            "Beneficial owner: who counts",
            "A beneficial owner is a natural person who in the end owns or controls the company. In the European "
            "Union an ownership interest of 25 % or more, direct or through other companies, is the usual threshold; "
            "control by other means counts without any share. Where nobody can be identified after every reasonable "
            "step, the senior managers are recorded instead, together with the steps that were taken.",
        ),
        (
            "Titular real: quién cuenta",
            "Titular real es la persona física que en último término posee o controla la empresa. En la Unión Europea "
            "el umbral habitual es una participación del 25 % o más, directa o a través de otras sociedades; el "
            "control por otros medios cuenta sin participación alguna. Si tras todos los pasos razonables no se "
            "identifica a nadie, se registra a la alta dirección junto con los pasos dados.",
        ),
    ),
    text(
        SHELF,
        "identification",
        (
            "Identifying and verifying a customer",
            "Identify the company by name, legal form, registration number and registered address, and each beneficial "
            "owner by name, date and place of birth, nationality and residence. Verification rests on independent and "
            "reliable sources; the customer's own declaration is never enough by itself. A contradiction between the "
            "register and what was found is itself a finding and, in the Union, is reported to the register.",
        ),
        (
            "Identificar y verificar al cliente",
            "Identifique a la empresa por denominación, forma jurídica, número de registro y domicilio, y a cada "
            "titular real por nombre, fecha y lugar de nacimiento, nacionalidad y residencia. La verificación se apoya "
            "en fuentes independientes y fiables; la sola declaración del cliente nunca basta. Una contradicción entre "
            "el registro y lo averiguado es en sí un hallazgo y, en la Unión, se comunica al registro.",
        ),
    ),
    text(
        SHELF,
        "enhanced",
        (
            "Enhanced due diligence",
            "Higher risk calls for more: politically exposed persons and those close to them, high-risk countries, "
            "structures without an economic reason, cash-heavy activity. Establish the source of funds and of wealth, "
            "obtain approval by senior management, and monitor the relationship more closely.",
        ),
        (
            "Diligencia reforzada",
            "A mayor riesgo, más medidas: personas con responsabilidad pública y su entorno, países de alto riesgo, "
            "estructuras sin razón económica, actividad con mucho efectivo. Determine el origen de los fondos y del "
            "patrimonio, obtenga la aprobación de la alta dirección y siga la relación más de cerca.",
        ),
    ),
    text(
        SHELF,
        "simplified",
        (
            "Simplified due diligence",
            "Where the risk is demonstrably low, measures may be reduced in extent or timing, never to nothing. The "
            "reasons are written down, and any suspicion ends the simplification at once.",
        ),
        (
            "Diligencia simplificada",
            "Cuando el riesgo es demostrablemente bajo, las medidas pueden reducirse en alcance o en el tiempo, nunca "
            "a nada. Se dejan por escrito los motivos, y cualquier sospecha pone fin de inmediato a la simplificación.",
        ),
    ),
    text(
        SHELF,
        "tipping-off",
        (
            "No tipping-off",
            "Neither the customer nor third parties may learn that a suspicion was formed or reported, or that an "
            "analysis is under way. This holds for letters, calls, portal messages and for what an assistant says. "
            "Asking for a missing document is allowed; saying why it is suspicious is not.",
        ),
        (
            "Prohibición de revelación",
            "Ni el cliente ni terceros pueden saber que se ha formado o comunicado una sospecha, ni que hay un "
            "análisis en curso. Vale para cartas, llamadas, mensajes del portal y para lo que diga un asistente. Pedir "
            "un documento que falta está permitido; decir por qué resulta sospechoso, no.",
        ),
    ),
    text(
        SHELF,
        "reporting",
        (
            "Reporting a suspicion",
            "Knowledge, suspicion or reasonable grounds are reported promptly to the financial intelligence unit "
            "through the reporting officer, whatever the amount. The transaction waits where it can. The report "
            "closes nothing: a case stays shut until somebody decides about it.",
        ),
        (
            "Comunicar una sospecha",
            "El conocimiento, la sospecha o los indicios razonables se comunican sin demora a la unidad de "
            "inteligencia financiera por medio del responsable, sea cual sea el importe. La operación espera si es "
            "posible. La comunicación no cierra nada: el caso sigue parado hasta que alguien decida.",
        ),
    ),
    text(
        SHELF,
        "retention",
        (
            "Keeping records for five years",
            "Copies of what was obtained and records of what was done are kept for five years after the relationship "
            "ends, and then erased unless the law says otherwise. The record must let an authority reconstruct who "
            "decided what, when, and on which evidence.",
        ),
        (
            "Conservar cinco años",
            "Las copias de lo obtenido y el registro de lo actuado se conservan cinco años desde el fin de la relación "
            "y después se borran, salvo que la ley diga otra cosa. El registro debe permitir a una autoridad "
            "reconstruir quién decidió qué, cuándo y con qué pruebas.",
        ),
    ),
    text(
        SHELF,
        "sanctions",
        (
            "Sanctions screening",
            "Names of the company, its owners and its directors are compared with sanctions lists at the start and "
            "whenever a list changes. A hit is settled by comparing birth dates, nationalities and addresses, never by "
            "the name alone. Assets of a listed person are frozen without delay.",
        ),
        (
            "Cribado de sanciones",
            "Los nombres de la empresa, sus titulares y sus administradores se comparan con las listas de sanciones al "
            "inicio y cada vez que cambia una lista. Una coincidencia se aclara comparando fechas de nacimiento, "
            "nacionalidades y direcciones, nunca solo por el nombre. Los bienes de una persona incluida se congelan "
            "sin demora.",
        ),
    ),
    text(
        SHELF,
        "automated-systems",
        (
            "Automated systems and logging",
            "Where a system with artificial intelligence takes part, its events are recorded so that its working can "
            "be traced, and a person oversees it with the power to disregard it. An answer of an assistant is no "
            "compliance determination.",
        ),
        (
            "Sistemas automáticos y registro",
            "Cuando interviene un sistema con inteligencia artificial, sus eventos se registran para poder rastrear su "
            "funcionamiento, y una persona lo supervisa con poder para no seguirlo. La respuesta de un asistente no es "
            "una determinación de cumplimiento.",
        ),
    ),
    text(
        SHELF,
        "ongoing",
        (
            "Ongoing monitoring",
            "A relationship is reviewed on a schedule set by its risk, and at once when something changes: new owners, "
            "a new activity, transactions that do not fit. What was verified once is verified again where it has aged.",
        ),
        (
            "Seguimiento continuo",
            "La relación se revisa con una periodicidad según su riesgo, y de inmediato cuando algo cambia: nuevos "
            "titulares, nueva actividad, operaciones que no encajan. Lo verificado una vez se vuelve a verificar "
            "cuando ha envejecido.",
        ),
    ),
)
"""In the order in which the page lists them."""
