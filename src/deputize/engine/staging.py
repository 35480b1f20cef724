"""Staging: a dry run that is rolled back, and the card, digest and expiry frozen with it (APPR-1, APPR-2)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from deputize.core.approval import Approval, ApprovalStatus
from deputize.core.chain import Draft
from deputize.core.clock import new_id
from deputize.core.digest import digest_of
from deputize.core.effect import HandlerFailed, Observed, Refused
from deputize.core.errors import DetectionFailed
from deputize.core.preview import Friction, Preview
from deputize.core.run import Outcome, Run, ToolCall
from deputize.core.tool import Tool
from deputize.engine import door, outward, taint, veil
from deputize.engine.card import card
from deputize.engine.door import Passed, Shut
from deputize.engine.failures import log_failure
from deputize.engine.lease import fence
from deputize.engine.outgoing import hide_refusal
from deputize.engine.preview import observe
from deputize.engine.record import Finished, envelope, finish, summary
from deputize.engine.wiring import Wiring
from deputize.policy.cap import secret_key_in
from deputize.policy.declared import schema_of
from deputize.policy.pinning import version_names
from deputize.store import approvals, calls
from deputize.store import targets as target_rows
from deputize.store.session import Tx, Undo


class SecretInResult(HandlerFailed):
    """A write that would answer with a secret is never staged, since its effect could not be taken back (TOOL-12)."""

    reason = "secret_in_result"
    default = "The result held a secret."


class Unread(HandlerFailed):
    """What would be told could not be read for personal values, so that it is not told and nothing stands (RED-6)."""

    reason = "detection_failed"
    default = "The answer could not be read for personal values."


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """What the write would do now: the card, and the digest over everything that makes it up."""

    preview: Preview
    digest: str
    effect: str
    versions: Mapping[str, str]


async def rehearse(w: Wiring, run: Run, call: ToolCall, asked: Passed) -> Rehearsed | Finished:
    """Dry run; a refusal or a failure is a result that says so, with nothing staged."""
    more = {"arguments": asked.arguments, "key": asked.key}
    outcome: Rehearsed | Finished | None = None
    async with w.db.write(run.tenant, "dry-run") as tx:
        no = await under_locks(w, tx, asked, call.id)
        if isinstance(no, Shut):
            outcome = _shut(await door.veiled(w, asked.veil, no), more)
            raise Undo
        versions = {**no, **asked.pinned.versions}
        if asked.tool.effect == "read":
            outcome = await present(w, tx, run, call, asked, outward.UNTRIED, versions)
            raise Undo
        try:
            observed = await observe(
                w, tx, asked.actor, asked.tool, asked.args, now=w.clock.now(), key=call.id, versions=versions
            )
            if secret_key_in(observed.result) is not None:
                raise SecretInResult
            if changes_nothing(observed):
                outcome = _shut(Shut(Outcome.REFUSED, "no_effect", "preview", "This would change nothing."), more)
                raise Undo
            outcome = await present(w, tx, run, call, asked, observed, versions)
        except Refused as refusal:
            outcome = await domain_refusal(w, refusal, asked, more)
        except HandlerFailed as failure:
            log_failure(f"tool {asked.tool.name} (dry run)", failure.__cause__ or failure)
            outcome = failed(failure, more)
        raise Undo
    assert outcome is not None
    return outcome


def changes_nothing(observed: Observed) -> bool:
    """A write that would do nothing at all is no proposal: most often its filter matched no row (F2)."""
    return not (observed.rows or observed.outgoing or observed.events or observed.own)


async def under_locks(w: Wiring, tx: Tx, asked: door.Asked, key: str) -> Mapping[str, str] | Shut:
    """Lock the targets, then ask the guard again; the present versions of the targets are returned."""
    versions: dict[str, str] = {}
    names = version_names(asked.pinned.targets)
    for entity_kind, ident in sorted(names):
        entity = w.registry.entities.get(entity_kind)
        if entity is None:
            continue
        there, version = await target_rows.lock(tx.conn, asked.actor.tenant, entity, ident)
        if not there:
            return Shut(Outcome.REFUSED, "not_found", "pinning", f"There is no such {entity_kind} any more.")
        if version is not None:
            versions[names[entity_kind, ident]] = version
    session = w.db.host(tx.conn, asked.actor)
    try:
        no = await door.guarded(w, session, asked.actor, asked.tool, asked.args, asked.pinned, key)
    finally:
        await session.close()
    return no if no is not None else versions


async def present(
    w: Wiring, tx: Tx, run: Run, call: ToolCall, asked: Passed, observed: Observed, versions: Mapping[str, str]
) -> Rehearsed:
    """The card and the digest of an observed effect."""
    said: dict[str, tuple[str, ...]] = {path: ("unproven",) for path in asked.unproven}
    untrusted = await taint.copied(w, tx.conn, run, asked.tool, asked.arguments)
    for path in untrusted:
        said[path] = (*said.get(path, ()), "untrusted")
    if asked.tool.egress:
        for path in outward.restored(asked.tool, call.raw, asked.arguments):
            said[path] = (*said.get(path, ()), "personal")
    preview = card(w, asked.actor, asked.tool, asked.args, observed, said)
    preview = outward.with_request(preview, asked.actor, asked.tool, asked.arguments, said)
    if asked.unproven:
        preview = replace(preview, friction=Friction(preview.friction.confirm, asked.unproven))
    shown, effect = digest(run, asked, observed)
    return Rehearsed(preview, shown, effect, versions)


def digest(run: Run, asked: Passed, observed: Observed) -> tuple[str, str]:
    """The digest over everything that was shown, and the canonical text under it (APPR-2)."""
    return digest_of(
        asked.tool.name,
        schema_of(asked.tool).schema.parameters,
        asked.arguments,
        observed.pre_images,
        observed.effect,
        run.tenant,
        run.actor_id,
    )


async def stage(w: Wiring, run: Run, call: ToolCall, asked: Passed) -> None:
    """Put the write before the person, or record why not; the run pauses once every other call has its result."""
    started = w.clock.now()
    shown = await rehearse(w, run, call, asked)
    latency = int((w.clock.now() - started).total_seconds() * 1000)
    async with w.db.write(run.tenant, "stage") as tx:
        await fence(w, tx, run.id)
        await veil.keep(w, tx, run.conversation_id, asked.veil)
        if isinstance(shown, Finished):
            done = replace(shown, latency_ms=latency)
            kind = f"tool_{done.outcome.value}"
            await finish(w, tx, run, call, done, by=run.actor_id, kind=kind, via=run.via)
            return
        await calls.update_call(
            tx,
            run.tenant,
            call.id,
            arguments=dict(asked.arguments),
            key=asked.key,
            staged_version=",".join(shown.versions.values())[:80] or None,
            latency_ms=latency,
        )
        await freeze(w, tx, run, call, asked.tool, asked.arguments, shown, kind="tool_staged")


async def freeze(
    w: Wiring,
    tx: Tx,
    run: Run,
    call: ToolCall,
    tool: Tool,
    arguments: Mapping[str, Any],
    shown: Rehearsed,
    *,
    kind: str,
) -> Approval:
    """Insert the pending approval and its chain entry; its life is counted in the database's time (APPR-6)."""
    now = await approvals.database_time(tx.conn)
    ttl = tool.approve.ttl if tool.approve.ttl is not None else w.limits.approval_ttl
    approval = Approval(
        id=new_id(w.clock.now()),
        call_id=call.id,
        status=ApprovalStatus.PENDING,
        digest=shown.digest,
        arguments=arguments,
        preview=shown.preview,
        versions=shown.versions,
        by=tool.approve.by,
        created_at=now,
        expires_at=now + timedelta(seconds=ttl),
    )
    await approvals.insert_pending(tx, run.tenant, run.actor_id, run.id, approval, shown.effect)
    payload = {
        "owner": run.actor_id,
        "surface": run.surface,
        "call": call.id,
        "tool": tool.name,
        "approval": approval.id,
        "digest": shown.digest,
        "versions": dict(shown.versions),
        "by": tool.approve.by,
        "via": run.via,
        **summary(w, tool.name, arguments),
    }
    tx.note(Draft(kind=kind, actor=run.actor_id, run=run.id, payload=payload))
    return approval


def _shut(no: Shut, more: Mapping[str, Any]) -> Finished:
    message, alternatives = no.told or (no.message, no.alternatives)
    return Finished(
        no.outcome,
        envelope(no.outcome, code=no.code, message=message, alternatives=dict(alternatives)),
        code=no.code[:64],
        result={"message": no.message, "alternatives": dict(no.alternatives)},
        entry={"door": no.door},
        **more,
    )


async def domain_refusal(w: Wiring, refusal: Refused, asked: Passed, more: Mapping[str, Any]) -> Finished:
    """A host error that the host explains: code, words, legal alternatives; redacted for the model (TOOL-11)."""
    said = refusal.refuse
    try:
        message, alternatives = await hide_refusal(w, asked.veil, said)
    except DetectionFailed:
        return failed(Unread(), more)
    return Finished(
        Outcome.REFUSED,
        envelope(Outcome.REFUSED, code=said.code, message=message, alternatives=alternatives),
        code=said.code[:64],
        result={"message": said.message, "alternatives": dict(said.alternatives)},
        entry={"door": "service"},
        **more,
    )


def failed(failure: HandlerFailed, more: Mapping[str, Any]) -> Finished:
    """A failure that only the log explains."""
    code = failure.reason
    message = "The application could not do this; nothing was changed."
    return Finished(
        Outcome.FAILED,
        envelope(Outcome.FAILED, code=code, message=message),
        code=code,
        result={"message": message},
        entry={"door": "preview"},
        **more,
    )
