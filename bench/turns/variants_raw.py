"""The floor: the same two steps by hand over httpx2, nothing kept."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from bench.turns.task import ANSWER, DESCRIPTION, MODEL, QUESTION, SCHEMA, SYSTEM, TOOL, Turn, Variant

TOOLS = [{"type": "function", "function": {"name": TOOL, "description": DESCRIPTION, "parameters": SCHEMA}}]


async def step(client: httpx2.AsyncClient, base: str, messages: list[Any]) -> tuple[str, dict[int, dict[str, str]]]:
    """One model call: the text, and the tool calls by index."""
    request = {"model": MODEL, "messages": messages, "tools": TOOLS, "stream": True}
    text: list[str] = []
    calls: dict[int, dict[str, str]] = {}
    async with client.stream("POST", f"{base}/chat/completions", json=request) as response:
        async for line in response.aiter_lines():
            if not line.startswith("data: ") or line == "data: [DONE]":
                continue
            for choice in json.loads(line[6:])["choices"]:
                delta = choice["delta"]
                text.append(delta.get("content") or "")
                for part in delta.get("tool_calls") or ():
                    call = calls.setdefault(part["index"], {"id": "", "name": "", "arguments": ""})
                    call["id"] = part.get("id") or call["id"]
                    call["name"] = part["function"].get("name") or call["name"]
                    call["arguments"] += part["function"].get("arguments") or ""
    return "".join(text), calls


@asynccontextmanager
async def raw(base: str, scratch: Path) -> AsyncIterator[Turn]:
    """httpx2 and json, no library in between."""
    async with httpx2.AsyncClient(timeout=60, trust_env=False) as client:

        async def turn(number: int) -> str:
            messages: list[Any] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": QUESTION}]
            while True:
                text, calls = await step(client, base, messages)
                if not calls:
                    return text
                made = [
                    {"id": c["id"], "type": "function", "function": {"name": c["name"], "arguments": c["arguments"]}}
                    for c in calls.values()
                ]
                messages.append({"role": "assistant", "content": None, "tool_calls": made})
                for call in calls.values():
                    json.loads(call["arguments"])
                    messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(ANSWER)})

        yield turn


VARIANTS: dict[str, Variant] = {"raw": raw}
