"""`deputize new-tool`: the stub of a tool in a host module's `tools.py`, ready to be filled in (OPS-4)."""

import re
from pathlib import Path
from typing import Annotated, Literal

import typer

from deputize.cli.loading import fail

Effect = Literal["read", "write", "destructive"]
NAME = re.compile(r"[a-z][a-z0-9_]{1,62}")
NAMES = ("Args", "Context", "Result", "Target", "Toolset", "Yields", "tool")
_IMPORT = re.compile(r"^from deputize import (?:\(\n(?P<many>.*?)\)|(?P<one>[^(\n]+))$", re.MULTILINE | re.DOTALL)
_TOOLS = re.compile(r"^TOOLS = Toolset\(\s*\"[^\"]+\",\s*\[(?P<inside>.*?)\]", re.MULTILINE | re.DOTALL)


def stub(name: str, permission: str, effect: Effect, target: str, *, egress: bool) -> str:
    """The models and the handler of one tool; the handler raises NotImplementedError until it is written."""
    words = "".join(part.capitalize() for part in name.split("_"))
    spoken = name.replace("_", " ")
    leaves = "    egress=True,\n" if egress else ""
    result = "id: Annotated[UUID, Yields(" + f'"{target}")]'
    return (
        f"class {words}Args(Args):\n"
        f'    {target}: Annotated[UUID, Target("{target}")]\n\n\n'
        f"class {words}Result(Result):\n"
        f"    {result}\n\n\n"
        "@tool(\n"
        f'    permissions=["{permission}"],\n'
        f'    effect="{effect}",\n'
        f"{leaves}"
        f'    title={{"es": "{spoken.capitalize()}", "en": "{spoken.capitalize()}"}},\n'
        f'    say={{"es": ["{spoken}"], "en": ["{spoken}"]}},\n'
        ")\n"
        f"async def {name}(ctx: Context, args: {words}Args) -> {words}Result:\n"
        f'    """Say in one sentence what it does: this is what a model reads."""\n'
        "    raise NotImplementedError  # call the module's own service here; it asks for the permission itself\n"
    )


def written(text: str, module: str, name: str, code: str) -> str:
    """The file with the tool in it and in its Toolset; a new one where `text` is empty.

    Raises ValueError where the tool is there already, or the file has no `TOOLS = Toolset("…", [...])`.
    """
    if not text.strip():
        imports = f"from deputize import {', '.join(NAMES)}\n"
        head = (
            f'"""What the copilot may do with {module}."""\n\nfrom typing import Annotated\nfrom uuid import UUID\n\n'
        )
        return f'{head}{imports}\n\n{code}\n\nTOOLS = Toolset("{module}", [{name}])\n'
    if re.search(rf"^(?:async )?def {name}\(", text, re.MULTILINE):
        raise ValueError(f"{name} is there already")
    tools = _TOOLS.search(text)
    if tools is None:
        raise ValueError('it has no TOOLS = Toolset("…", [...]) to add the tool to')
    inside = tools["inside"].rstrip().rstrip(",")
    listed = f"{inside}, {name}" if inside.strip() else name
    text = text[: tools.start("inside")] + listed + text[tools.end("inside") :]
    text = text[: tools.start()] + f"{code}\n\n" + text[tools.start() :]
    return _imported(text)


def _imported(text: str) -> str:
    """The file with every name that a stub needs imported."""
    found = _IMPORT.search(text)
    if found is not None:
        had = {one.strip() for one in (found["many"] or found["one"]).split(",") if one.strip()}
        names = ", ".join(sorted(had | set(NAMES), key=lambda one: (one.islower(), one)))
        text = text[: found.start()] + f"from deputize import {names}" + text[found.end() :]
    for line in ("from uuid import UUID", "from typing import Annotated"):
        module, _, name = line.removeprefix("from ").partition(" import ")
        if not re.search(rf"^from {module} import .*\b{name}\b", text, re.MULTILINE):
            at = text.index("\n\n") + 2 if text.startswith('"""') else 0
            text = text[:at] + line + "\n" + text[at:]
    return text


def command(
    folder: Annotated[Path, typer.Argument(help="The host module's folder, which has or gets a tools.py.")],
    name: Annotated[str, typer.Argument(help="The tool's name: lower case, digits, underscores.")],
    permission: Annotated[str, typer.Option(help="The host's permission that it asks for.")],
    target: Annotated[str, typer.Option(help="The kind of record that it is about.")],
    effect: Annotated[Effect, typer.Option(help="What it does to the record.")] = "read",
    egress: Annotated[bool, typer.Option("--egress", help="Something leaves the house.")] = False,
) -> None:
    """Write the stub of a new tool into a module's tools.py."""
    if not NAME.fullmatch(name) or not NAME.fullmatch(target):
        raise fail("names are lower case letters, digits and underscores, at most 63")
    if not folder.is_dir():
        raise fail(f"there is no folder {folder}")
    path = folder / "tools.py"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    try:
        new = written(text, folder.resolve().name, name, stub(name, permission, effect, target, egress=egress))
    except ValueError as error:
        raise fail(f"{path}: {error}") from None
    path.write_text(new, encoding="utf-8")
    typer.echo(f"{name} stands in {path}; write its handler, add Toolset and entity to the mount, then deputize check")
