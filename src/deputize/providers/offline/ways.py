"""By which reads a record of a kind can be found: by words, from a list, by its day, or through another record."""

from dataclasses import dataclass

from deputize.core.provider import ToolSchema
from deputize.providers.offline.moves import Work
from deputize.providers.offline.schema import Arg, args_of

DAYS = ("date", "datetime")


@dataclass(frozen=True, slots=True)
class Way:
    """One read that yields the kind; `arg` takes the words, the day or the other record.

    `how` is `search`, `list`, `all` (a list of some default day), `day`, `through` or `get`.
    """

    tool: ToolSchema
    how: str
    arg: Arg | None = None
    main: bool = False


def ways(work: Work, kind: str) -> list[Way]:
    """All ways to a record of `kind`; tools whose first yield is that kind come first."""
    found = [
        way for tool in work.tools if tool.effect == "read" and kind in tool.yields.values() for way in _of(tool, kind)
    ]
    return sorted(found, key=lambda way: not way.main)


def pick(found: list[Way], how: str) -> Way | None:
    """The first way of that sort."""
    return next((way for way in found if way.how == how), None)


def main_kind(tool: ToolSchema) -> str:
    """The kind that the tool is about: that of its first yield."""
    return next(iter(tool.yields.values()), "")


def _of(tool: ToolSchema, kind: str) -> list[Way]:
    args = args_of(tool)
    needed = [a for a in args if a.required]
    main = main_kind(tool) == kind
    found = []
    text = query_arg(tool)
    if text is not None and all(a is text for a in needed):
        found.append(Way(tool, "search", text, main))
    day = next((a for a in (*needed, *args) if a.role in DAYS), None)
    if not needed:
        found.append(Way(tool, "list" if day is None else "all", None, main))
        others = [a for a in args if a.role == "target" and a.kind != kind]
        found += [Way(tool, "through", a, main) for a in others]
    if day is not None and all(a.role in DAYS for a in needed):
        found.append(Way(tool, "day", day, main))
    if len(needed) == 1 and needed[0].role == "target":
        found.append(Way(tool, "get" if needed[0].kind == kind else "through", needed[0], main))
    return found


def query_arg(tool: ToolSchema) -> Arg | None:
    """The free-text argument of a search: the required plain text, or the only optional one."""
    plain = [a for a in args_of(tool) if a.role in ("string", "text") and not a.many]
    needed = [a for a in plain if a.required]
    return needed[0] if needed else plain[0] if len(plain) == 1 else None
