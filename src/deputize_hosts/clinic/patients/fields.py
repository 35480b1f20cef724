"""Patients' fields as stored: phone in E.164, mail in lower case, documents with their check letter."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date

import phonenumbers
from stdnum.es import dni, nie
from stdnum.exceptions import ValidationError

from deputize_hosts.clinic.errors import InvalidValue
from deputize_hosts.clinic.patients.models import IdKind
from deputize_hosts.kit.errors import Speaks

_MAIL = re.compile(r"[^\s@<>,;:\"()\[\]]+@[^\s@<>,;:\"()\[\]]+\.[^\s@<>,;:\"()\[\].]{2,}")
_PASSPORT = re.compile(r"[A-Z0-9]{5,15}")


@dataclass(frozen=True, slots=True)
class PatientData:
    """What a person fills in; empty text means not known. Texts are cleaned by the service."""

    first_name: str
    last_name: str
    phone: str = ""
    email: str = ""
    birth_date: date | None = None
    national_id_kind: str = ""
    national_id: str = ""
    address: str = ""
    notes: str = ""
    do_not_contact: bool = False


def tidy(text: str) -> str:
    """NFC, without control characters, single spaces."""
    normal = unicodedata.normalize("NFC", text)
    return " ".join("".join(" " if unicodedata.category(c) in {"Cc", "Zs"} else c for c in normal).split())


def fold(text: str) -> str:
    """Without accents and case: `López` and `LOPEZ` fold alike."""
    parts = unicodedata.normalize("NFKD", text)
    return "".join(c for c in parts if not unicodedata.combining(c)).casefold()


def name_of(asker: Speaks, field: str, text: str, longest: int) -> str:
    """A name that is there and not too long. Raises InvalidValue."""
    name = tidy(text)
    if not name:
        raise InvalidValue(asker, field, "hace falta", "is needed")
    if len(name) > longest:
        raise InvalidValue(asker, field, f"como mucho {longest} letras", f"at most {longest} characters")
    return name


def parted(whole: str) -> tuple[str, str]:
    """(first name, last names) of a name in one piece: of four words or more two are first names (`María José …`)."""
    words = tidy(whole).split()
    first = 2 if len(words) > 3 else 1
    return " ".join(words[:first]), " ".join(words[first:])


def phone_of(asker: Speaks, text: str, country: str) -> str | None:
    """E.164, read as a number of the clinic's country where there is no prefix. Raises InvalidValue."""
    if not tidy(text):
        return None
    try:
        number = phonenumbers.parse(text, country)
    except phonenumbers.NumberParseException:
        number = None
    if number is None or not phonenumbers.is_possible_number(number):
        raise InvalidValue(asker, "phone", "no es un teléfono posible", "is not a possible phone number")
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def shown_phone(stored: str | None) -> str:
    """The number in groups, for people."""
    if not stored:
        return ""
    number = phonenumbers.parse(stored)
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL)


def email_of(asker: Speaks, text: str) -> str | None:
    """The address in lower case. Raises InvalidValue."""
    mail = tidy(text).lower()
    if not mail:
        return None
    if len(mail) > 254 or not _MAIL.fullmatch(mail):
        raise InvalidValue(asker, "email", "no es un correo válido", "is not a valid e-mail address")
    return mail


def national_id_of(asker: Speaks, kind: str, text: str) -> tuple[str | None, str | None]:
    """Kind and compact number; check letters of DNI and NIE are verified. Raises InvalidValue."""
    number = re.sub(r"[\s.\-]", "", text).upper()
    if not number:
        return None, None
    wrong = InvalidValue(asker, "national_id", "el número o su letra no es correcto", "number or check letter is wrong")
    try:
        chosen = IdKind(kind or _guess(number))
        if chosen is IdKind.DNI:
            return chosen.value, str(dni.validate(number))
        if chosen is IdKind.NIE:
            return chosen.value, str(nie.validate(number))
    except (ValidationError, ValueError):
        raise wrong from None
    if not _PASSPORT.fullmatch(number):
        raise wrong
    return chosen.value, number


def _guess(number: str) -> str:
    if re.fullmatch(r"\d{8}[A-Z]", number):
        return IdKind.DNI
    return IdKind.NIE if re.fullmatch(r"[XYZ]\d{7}[A-Z]", number) else IdKind.PASSPORT


def birth_date_of(asker: Speaks, born: date | None, now: date) -> date | None:
    """A day that is past and within a human life. Raises InvalidValue."""
    if born is not None and not (date(now.year - 125, 1, 1) <= born <= now):
        raise InvalidValue(asker, "birth_date", "no es una fecha de nacimiento posible", "is not a possible birth date")
    return born
