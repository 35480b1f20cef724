"""What people see of the record: the DTOs of calls, runs, messages and conversations (API-1)."""

from collections.abc import Mapping, Sequence
from typing import Any

from deputize.core.actor import Actor
from deputize.core.clock import iso
from deputize.core.conversation import Conversation
from deputize.core.event import ApprovalDto, ToolCallDto
from deputize.core.run import ToolCall
from deputize.engine.card import to_dto
from deputize.engine.wiring import Wiring

WHOLE_UP_TO = 8_000
"""Characters of a card that streams and lists carry; the rest is fetched with the call itself (APPR-1)."""


def language(locale: str) -> str:
    """The language of a BCP 47 tag."""
    return locale.replace("_", "-").partition("-")[0].lower() or "en"


def tool_title(w: Wiring, name: str, locale: str) -> str:
    """What people call the tool; the bare name where it is not known."""
    tool = w.registry.tools.get(name)
    if tool is None:
        return name[:80]
    return tool.title.get(language(locale)) or tool.title.get("en") or name


def call_dto(w: Wiring, call: ToolCall, viewer: Actor, *, whole: bool = False, owner: str | None = None) -> ToolCallDto:
    """A call as `viewer` may see it; `whole` gives a long preview uncut."""
    tool = w.registry.tools.get(call.tool)
    approval = call.approval
    shown = None
    if approval is not None:
        shown = ApprovalDto(
            status=approval.status.value,
            digest=approval.digest,
            preview=to_dto(approval.preview, None if whole else WHOLE_UP_TO),
            expires_at=iso(approval.expires_at),
            by=approval.by,
            decided_by=approval.decided_by,
            reason=approval.reason,
            may_decide=owner is None or (approval.by == "actor") == (viewer.id == owner),
        )
    return ToolCallDto(
        id=call.id,
        run_id=call.run_id,
        tool=call.tool[:128],
        title=tool_title(w, call.tool, viewer.locale),
        effect=tool.effect if tool else "read",
        args=call.arguments,
        outcome=call.outcome,
        code=call.code,
        result=call.result,
        truncated=call.truncated,
        latency_ms=call.latency_ms,
        created_at=iso(call.created_at) if call.created_at else "",
        staged_version=call.staged_version,
        executed_version=call.executed_version,
        approval=shown,
        links=[dict(link) for link in call.links],
    )


def conversation_dto(c: Conversation) -> dict[str, Any]:
    """A Session on the wire."""
    return {
        "id": c.id,
        "userId": c.actor_id,
        "surface": c.surface,
        "title": c.title,
        "status": c.status.value,
        "context": dict(c.context),
        "totals": {
            "messages": c.messages,
            "inputTokens": c.input_tokens,
            "outputTokens": c.output_tokens,
            "costMicroUsd": c.cost_micro,
        },
        "createdAt": iso(c.created_at),
        "updatedAt": iso(c.updated_at),
    }


def run_dto(row: Mapping[str, Any]) -> dict[str, Any]:
    """A Run on the wire."""
    return {
        "id": row["id"],
        "sessionId": row["conversation_id"],
        "userId": row["actor_id"],
        "surface": row["surface"],
        "mode": row["mode"],
        "agentName": row["agent"],
        "status": row["status"],
        "provider": row["provider"],
        "model": row["model"],
        "inputTokens": row["input_tokens"],
        "outputTokens": row["output_tokens"],
        "costMicroUsd": row["cost_micro"],
        "retryOf": row["retry_of"],
        "errorCode": row["error_code"],
        "startedAt": iso(row["created_at"]),
        "finishedAt": iso(row["finished_at"]) if row["finished_at"] else None,
    }


def message_dtos(
    w: Wiring, rows: Sequence[Mapping[str, Any]], calls: Sequence[ToolCall], viewer: Actor, owner: str
) -> list[dict[str, Any]]:
    """Messages on the wire, each assistant message with the calls that it made."""
    made: dict[tuple[str, int], list[ToolCall]] = {}
    for call in calls:
        made.setdefault((call.run_id, call.step), []).append(call)
    shown = []
    for row in rows:
        own = made.get((row["run_id"], row["step"]), []) if row["role"] == "assistant" else []
        if row["role"] == "assistant" and not row["clear"] and not own and not row["notice"]:
            continue
        shown.append(
            {
                "id": row["id"],
                "runId": row["run_id"],
                "role": row["role"],
                "content": row["clear"],
                "notice": row["notice"],
                "toolCalls": [
                    call_dto(w, call, viewer, owner=owner).model_dump(by_alias=True, mode="json") for call in own
                ],
                "createdAt": iso(row["created_at"]),
            }
        )
    return shown
