"""The peers, each as its own documentation shows it: streaming, one tool, plain and with its own persistence."""

import importlib.util
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bench.turns.task import ANSWER, DESCRIPTION, MODEL, QUESTION, SYSTEM, Turn, Variant


def client(base: str) -> Any:
    """The vendor's own client, as all three peers use it."""
    import openai

    return openai.AsyncOpenAI(base_url=base, api_key="none", max_retries=0)


@asynccontextmanager
async def openai_agents(base: str, scratch: Path, *, kept: bool = False) -> AsyncIterator[Turn]:
    """OpenAI Agents, chat completions, tracing off; with its SQLiteSession on a file where `kept`."""
    from agents import Agent, OpenAIChatCompletionsModel, Runner, SQLiteSession, function_tool, set_tracing_disabled

    set_tracing_disabled(True)

    async def get_order(order: str) -> dict[str, Any]:
        return ANSWER

    tool = function_tool(get_order, description_override=DESCRIPTION)
    model = OpenAIChatCompletionsModel(model=MODEL, openai_client=client(base))
    agent = Agent(name="desk", instructions=SYSTEM, tools=[tool], model=model)

    async def turn(number: int) -> str:
        session = SQLiteSession(f"thread-{number}", scratch / "agents.db") if kept else None
        run = Runner.run_streamed(agent, QUESTION, session=session)
        text = []
        async for event in run.stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                text.append(event.data.delta)
        return "".join(text)

    yield turn


@asynccontextmanager
async def langgraph(base: str, scratch: Path, *, durability: str | None = None) -> AsyncIterator[Turn]:
    """LangChain's agent on LangGraph; with the SQLite checkpointer where `durability` is said."""
    from langchain.agents import create_agent
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI

    @tool(description=DESCRIPTION)
    async def get_order(order: str) -> dict[str, Any]:
        return ANSWER

    model = ChatOpenAI(model=MODEL, base_url=base, api_key="none", max_retries=0, use_responses_api=False)

    async def answer(graph: Any, number: int) -> str:
        asked = {"messages": [{"role": "user", "content": QUESTION}]}
        config = {"configurable": {"thread_id": f"thread-{number}"}}
        more = {"durability": durability} if durability else {}
        stream = graph.astream(asked, config, stream_mode="messages", **more)
        return "".join([m.content async for m, _ in stream if m.type == "AIMessageChunk" and m.content])

    if durability is None:
        plain = create_agent(model, [get_order], system_prompt=SYSTEM)
        yield lambda number: answer(plain, number)
        return
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    async with AsyncSqliteSaver.from_conn_string(str(scratch / "graph.db")) as saver:
        await saver.setup()
        kept = create_agent(model, [get_order], system_prompt=SYSTEM, checkpointer=saver)
        yield lambda number: answer(kept, number)


@asynccontextmanager
async def pydantic_ai(base: str, scratch: Path, *, kept: bool = False) -> AsyncIterator[Turn]:
    """Pydantic AI; with all messages written to a file database at the end of the turn where `kept`."""
    import aiosqlite
    from pydantic_ai import Agent, AgentRunResultEvent, PartDeltaEvent, PartStartEvent, TextPartDelta
    from pydantic_ai.messages import TextPart
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel(MODEL, provider=OpenAIProvider(openai_client=client(base)))
    agent = Agent(model, system_prompt=SYSTEM)

    @agent.tool_plain
    async def get_order(order: str) -> dict[str, Any]:
        """Get one order by its number."""
        return ANSWER

    async with aiosqlite.connect(scratch / "history.db") as history:
        await history.execute("PRAGMA journal_mode = WAL")
        await history.execute("PRAGMA synchronous = NORMAL")
        await history.execute("CREATE TABLE IF NOT EXISTS history (thread TEXT, messages BLOB)")

        async def turn(number: int) -> str:
            text = []
            async with agent.run_stream_events(QUESTION) as events:
                async for event in events:
                    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                        text.append(event.part.content)
                    elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                        text.append(event.delta.content_delta)
                    elif isinstance(event, AgentRunResultEvent) and kept:
                        row = (f"thread-{number}", event.result.all_messages_json())
                        await history.execute("INSERT INTO history VALUES (?, ?)", row)
                        await history.commit()
            return "".join(text)

        yield turn


def variants() -> dict[str, Variant]:
    """Those whose packages are installed here."""
    found: dict[str, Variant] = {}
    if importlib.util.find_spec("agents"):
        found["openai-agents"] = openai_agents
        found["openai-agents, SQLite session"] = lambda b, s: openai_agents(b, s, kept=True)
    if importlib.util.find_spec("langgraph") and importlib.util.find_spec("langchain_openai"):
        found["langgraph"] = langgraph
        found["langgraph, SQLite"] = lambda b, s: langgraph(b, s, durability="async")
        found["langgraph, SQLite, sync"] = lambda b, s: langgraph(b, s, durability="sync")
    if importlib.util.find_spec("pydantic_ai"):
        found["pydantic-ai"] = pydantic_ai
        found["pydantic-ai, history kept"] = lambda b, s: pydantic_ai(b, s, kept=True)
    return found


VARIANTS = variants()
