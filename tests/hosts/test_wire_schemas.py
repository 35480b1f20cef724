"""Every tool of the hosts as each wire is told it: a valid schema that takes what a model would send (TOOL-16)."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import jsonschema_rs
import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from deputize import Settings
from deputize.core.tool import Tool
from deputize.policy.samples import samples
from deputize.providers.schemas import for_anthropic, for_openai, for_openai_strict
from deputize_hosts.casedesk import main as casedesk
from deputize_hosts.clinic import main as clinic
from deputize_hosts.kit.mail import Letter
from deputize_hosts.workorders import main as workorders
from tests.hosts.clinic.people import NOW

Export = Callable[[Mapping[str, Any]], dict[str, Any]]
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What OpenAI, Anthropic and MCP all take as a tool's name."""
IDENT = "0198a000-0000-7000-8000-000000000001"


async def _unsent(letter: Letter) -> str:
    raise AssertionError("nothing is sent")


def tools() -> list[Tool]:
    """All tools of the three hosts; nothing is asked of their databases."""
    found: list[Tool] = []
    for host, more in ((clinic, (_unsent,)), (workorders, ()), (casedesk, ())):
        made = host.make_deputy(create_async_engine("sqlite+aiosqlite://"), Settings(), *more)
        found += made.wiring.registry.tools.values()
    return found


TOOLS = tools()


@pytest.mark.parametrize("export", [for_openai, for_anthropic], ids=lambda export: export.__name__)
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_what_a_wire_is_told_is_valid_and_takes_a_call(tool: Tool, export: Export) -> None:
    """MCP takes for `inputSchema` what Anthropic takes: a JSON Schema of an object, references resolved."""
    schema = export(tool.args.model_json_schema())
    assert NAME.fullmatch(tool.name)
    assert schema["type"] == "object"
    jsonschema_rs.meta.validate(schema)
    taken = jsonschema_rs.Draft202012Validator(schema)
    for args in samples(tool, Anything(), NOW, 5):
        call = args.model_dump(mode="json", exclude_unset=True)
        assert taken.is_valid(call), (call, schema)
    assert not taken.is_valid({**call, "tenant": "south"})


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_strict_takes_the_same_call_with_nulls(tool: Tool) -> None:
    """No tool of the hosts means anything that strict mode cannot say."""
    schema = for_openai_strict(tool.args.model_json_schema())
    jsonschema_rs.meta.validate(schema)
    assert set(schema["required"]) == set(schema["properties"])
    (args,) = samples(tool, Anything(), NOW, 1)
    call = args.model_dump(mode="json", exclude_unset=True)
    assert jsonschema_rs.Draft202012Validator(schema).is_valid({**dict.fromkeys(schema["properties"]), **call})


class Anything(dict[str, list[str]]):
    """Records of whatever kind."""

    def get(self, kind: str, otherwise: Any = None) -> list[str]:
        return [IDENT]
