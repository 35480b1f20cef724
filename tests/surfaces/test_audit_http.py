"""The chain over HTTP: lists, shown against executed, checkpoints, verification, export (AUD-2 to AUD-6)."""

import io
import json
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize.core.actor import Actor
from deputize.core.chain import Draft
from deputize.core.checkpoint import parse_vkey
from deputize.core.pack import open_pack, verify_pack
from deputize.engine.checkpointing import Schedule, checkpoint_due
from deputize.store import keyfile
from deputize.store.tables import audit_entries
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA
from tests.surfaces.serving import Served, served

BOSS = Actor("bea", "north", label="Bea", grants=frozenset({"copilot.*", "people.*"}))


@pytest.fixture
async def signed(database: AsyncEngine, clock: FrozenClock, tmp_path: Path) -> AsyncIterator[Served]:
    """A served host that signs checkpoints, with a supervisor beside its people."""
    key = tmp_path / "keys" / "checkpoint.key"
    keyfile.generate(key)
    settings = {"AI_CHECKPOINT_KEY_FILE": str(key), "AGENT_SWEEP_INTERVAL_MS": 3_600_000}
    async with served(database, clock, settings=settings) as site:
        site.hire(BOSS)
        yield site


async def worked(site: Served) -> dict[str, Any]:
    """Eva has a task added for Ana; the executed call is returned."""
    site.desk.provider.then(
        calls(("find_people", {})), calls(("add_task", {"person": ANA, "title": "call"})), says("Done.")
    )
    session = (await site.post("/sessions", {"surface": "desk"})).json()["id"]
    frames = await site.stream("POST", f"/sessions/{session}/messages", {"content": "task for Ana"})
    card = frames[-1].data["call"]
    body = {"approve": True, "digest": card["approval"]["digest"]}
    rest = await site.stream("POST", f"/tool-calls/{card['id']}/decide", body)
    assert rest[-1].event == "message_done"
    return dict(card)


async def entries(site: Served, query: str = "") -> list[dict[str, Any]]:
    answer = await site.get(f"/admin/audit{query}", who="bea")
    assert answer.status_code == 200, answer.text
    return list(answer.json()["items"])


async def test_the_list_is_filtered_newest_first_with_names(signed: Served) -> None:
    """AUD-2: by kind, actor, run and period; people have names."""
    card = await worked(signed)
    every = await entries(signed)
    assert [one["seq"] for one in every] == list(range(len(every), 0, -1))
    assert {one["kind"] for one in every} >= {"tool_staged", "tool_executed"}
    assert every[0]["names"] == {"eva": "Eva"}
    staged = await entries(signed, "?kind=tool_staged")
    assert [one["payload"]["call"] for one in staged] == [card["id"]]
    assert await entries(signed, f"?run={card['runId']}") == [one for one in every if one["run"] == card["runId"]]
    assert await entries(signed, "?actor=bea&until=2030-01-01T00:00:00Z") == []
    assert await entries(signed, "?since=2030-01-01T00:00:00Z") == []
    paged = (await signed.get("/admin/audit?pageSize=1&page=2", who="bea")).json()
    assert (paged["total"], paged["page"], paged["pageSize"], len(paged["items"])) == (len(every), 2, 1, 1)


async def test_shown_against_executed(signed: Served) -> None:
    """AUD-2: from any entry of a call, the digest that was shown, the one executed, and the frozen card."""
    card = await worked(signed)
    for kind in ("tool_staged", "tool_executed"):
        (entry,) = [one for one in await entries(signed, f"?kind={kind}") if one["payload"]["call"] == card["id"]]
        shown = (await signed.get(f"/admin/audit/{entry['seq']}", who="bea")).json()
        assert shown["compared"] == {
            "shown": card["approval"]["digest"],
            "executed": card["approval"]["digest"],
            "match": True,
        }
        assert shown["card"]["preview"]["title"] == card["approval"]["preview"]["title"]
        assert shown["card"]["decidedByName"] == "Eva"
        assert [one["kind"] for one in shown["related"]] == ["tool_staged", "tool_executed"]
    viewed = await entries(signed, "?kind=entry_viewed")
    assert {one["payload"]["owner"] for one in viewed} == {"eva"}
    (read,) = [one for one in await entries(signed) if one["payload"].get("tool") == "find_people"]
    assert (await signed.get(f"/admin/audit/{read['seq']}", who="bea")).json()["compared"] is None


async def test_a_rejected_card_was_never_executed(signed: Served) -> None:
    """AUD-2: shown, not executed, and no verdict on a match that never was."""
    signed.desk.provider.then(
        calls(("find_people", {})), calls(("add_task", {"person": ANA, "title": "call"})), says("No.")
    )
    session = (await signed.post("/sessions", {"surface": "desk"})).json()["id"]
    frames = await signed.stream("POST", f"/sessions/{session}/messages", {"content": "task for Ana"})
    card = frames[-1].data["call"]
    await signed.stream(
        "POST", f"/tool-calls/{card['id']}/decide", {"approve": False, "digest": card["approval"]["digest"]}
    )
    (entry,) = await entries(signed, "?kind=approval_rejected")
    shown = (await signed.get(f"/admin/audit/{entry['seq']}", who="bea")).json()
    assert shown["compared"] == {"shown": card["approval"]["digest"], "executed": None, "match": None}


@pytest.mark.parametrize(
    "path", ["/admin/audit", "/admin/audit/1", "/admin/audit/verify", "/admin/audit/export", "/admin/audit/checkpoint"]
)
async def test_only_supervisors(signed: Served, path: str) -> None:
    """API-2: `supervise`, and never over tenants."""
    ask = signed.post if path.endswith("checkpoint") else signed.get
    assert (await ask(path, who="vic")).status_code == 403
    assert (await ask(path, who="nobody")).status_code == 401


async def test_another_tenants_chain_is_not_there(signed: Served) -> None:
    """SEC-14: numbers are each tenant's own."""
    await worked(signed)
    assert (await signed.get("/admin/audit", who="sue")).json()["total"] == 0
    assert (await signed.get("/admin/audit/1", who="sue")).status_code == 404


async def test_a_checkpoint_is_signed_and_vouches(signed: Served) -> None:
    """AUD-4: the note can be checked with the key named; the next verdict is anchored to it."""
    await worked(signed)
    made = (await signed.post("/admin/audit/checkpoint", who="bea")).json()
    assert made["fault"] is None
    assert made["size"] == len(await entries(signed))
    assert parse_vkey(made["key"]).origin in made["note"]
    verdict = (await signed.get("/admin/audit/verify", who="bea")).json()
    assert verdict["ok"]
    assert verdict["anchored"] == made["size"]
    (said,) = await entries(signed, "?kind=chain_verified")
    assert said["payload"] == {"finding": "verified", "through": verdict["through"], "anchored": verdict["anchored"]}


async def test_verification_tells_its_progress(signed: Served) -> None:
    """AUD-4: as a stream it says how far it is, then the verdict, and ends."""
    await worked(signed)
    frames = [frame async for frame in signed.frames("GET", "/admin/audit/verify", who="bea")]
    assert [frame.event for frame in frames] == ["progress", "verdict"]
    assert frames[0].data["done"] <= frames[0].data["total"]
    assert frames[-1].data["finding"] == "verified"


async def test_a_rewritten_chain_is_not_signed_over(signed: Served) -> None:
    """AUD-4: the signer refuses a fork, verification names the entry, and so does the list."""
    await worked(signed)
    size = (await signed.post("/admin/audit/checkpoint", who="bea")).json()["size"]
    await tamper(signed, 1)
    verdict = (await signed.get("/admin/audit/verify", who="bea")).json()
    assert (verdict["finding"], verdict["at"]) == ("tampered", 1)
    position = next(signed.desk.w.checkpoints.folder.glob("*north.position"))  # type: ignore[union-attr]
    position.unlink()
    again = (await signed.post("/admin/audit/checkpoint", who="bea")).json()
    assert again["note"] is None
    assert "entry 1 does not follow" in again["fault"]
    assert again["size"] == size


async def tamper(site: Served, seq: int) -> None:
    """Change an entry's stored hash by a way that asks no guard: the test's own engine without triggers."""
    async with site.desk.engine.connect() as conn:
        if conn.dialect.name == "sqlite":
            names = (await conn.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'")).scalars()
            for name in list(names):
                await conn.exec_driver_sql(f'DROP TRIGGER "{name}"')
        else:
            await conn.exec_driver_sql(f"ALTER TABLE {audit_entries.name} DISABLE TRIGGER USER")
        await conn.execute(
            update(audit_entries)
            .where(audit_entries.c.tenant == "north", audit_entries.c.seq == seq)
            .values(hash="0" * 64)
        )
        await conn.commit()


async def test_the_export_is_noted_signed_and_verifies_alone(signed: Served, tmp_path: Path) -> None:
    """AUD-6: the pack holds its own entry, stands under a checkpoint, and carries what is retained of the talk."""
    card = await worked(signed)
    answer = await signed.get("/admin/audit/export?transcript=true", who="bea")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/zip"
    path = tmp_path / "pack.zip"
    path.write_bytes(answer.content)
    pack = open_pack(path)
    files = signed.desk.w.checkpoints
    assert files is not None
    verdict = verify_pack(pack, [files.trusted("north")])
    assert verdict.ok
    assert verdict.anchored == pack.count == int(answer.headers["x-entries"])
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        lines = archive.read("entries.jsonl").decode().splitlines()
        talk = [json.loads(line) for line in archive.read("transcript.jsonl").decode().splitlines()]
    assert json.loads(json.loads(lines[-1])["header"])["kind"] == "audit_exported"
    assert [part["text"] for part in talk if part["type"] == "message" and part["role"] == "user"] == ["task for Ana"]
    assert card["id"] in {part["id"] for part in talk if part["type"] == "call"}


async def test_a_part_is_exported_with_proofs(signed: Served, tmp_path: Path) -> None:
    """AUD-6: a case alone verifies against the checkpoint; no transcript unless asked for."""
    card = await worked(signed)
    answer = await signed.get(f"/admin/audit/export?run={card['runId']}", who="bea")
    path = tmp_path / "pack.zip"
    path.write_bytes(answer.content)
    pack = open_pack(path)
    files = signed.desk.w.checkpoints
    assert files is not None
    assert not pack.complete
    assert verify_pack(pack, [files.trusted("north")]).ok
    with zipfile.ZipFile(path) as archive:
        assert archive.read("transcript.jsonl") == b""


async def test_without_a_key(site: Served) -> None:
    """AUD-4: no checkpoints, said so; the whole chain can still be verified and exported, a part cannot."""
    site.hire(BOSS)
    assert (await site.get("/admin/audit", who="bea")).json()["checkpoint"]["configured"] is False
    refused = await site.post("/admin/audit/checkpoint", who="bea")
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "AI_UNAVAILABLE")
    assert (await site.get("/admin/audit/export?run=x", who="bea")).status_code == 503
    assert (await site.get("/admin/audit/export", who="bea")).status_code == 200


async def test_checkpoints_are_signed_on_schedule(signed: Served, clock: FrozenClock) -> None:
    """AUD-4: once a minute while something is new, at once for the first time, never for nothing."""
    schedule = Schedule()
    await worked(signed)
    w = signed.desk.w
    assert await checkpoint_due(w, schedule) == 1
    await worked(signed)
    assert await checkpoint_due(w, schedule) == 0
    clock.advance(60)
    assert await checkpoint_due(w, schedule) == 1
    clock.advance(60)
    assert await checkpoint_due(w, schedule) == 0


async def test_runs_and_conversations_of_others(signed: Served) -> None:
    """API-2: the tenant's runs for `supervise`, its conversations for `history.read_all`; each view is an entry."""
    card = await worked(signed)
    mine = (await signed.get("/runs", who="bea")).json()
    assert mine["total"] == 0
    every = (await signed.get("/runs?all=true", who="bea")).json()
    assert [one["id"] for one in every["items"]] == [card["runId"]]
    assert every["names"]["eva"] == "Eva"
    assert (await signed.get("/runs?all=true", who="vic")).status_code == 403
    assert (await signed.get("/sessions?all=true", who="vic")).status_code == 403
    sessions = (await signed.get("/sessions?all=true", who="bea")).json()
    assert [one["userId"] for one in sessions["items"]] == ["eva"]
    run = (await signed.get(f"/runs/{card['runId']}", who="bea")).json()
    assert run["toolCalls"][-1]["id"] == card["id"]
    (viewed,) = await entries(signed, "?kind=transcript_viewed")
    assert (viewed["actor"], viewed["run"], viewed["payload"]) == ("bea", card["runId"], {"owner": "eva"})


async def test_the_approver_sees_who_asks(signed: Served) -> None:
    """APPR-3: a card of four eyes waits for its approver with the name of whoever asked."""
    signed.desk.provider.then(calls(("find_people", {})), calls(("four_eyes", {"person": ANA, "remark": "x"})))
    session = (await signed.post("/sessions", {"surface": "desk"})).json()["id"]
    await signed.stream("POST", f"/sessions/{session}/messages", {"content": "raise for Ana"})
    assert (await signed.get("/approvals")).json()["items"] == []
    waiting = (await signed.get("/approvals", who="bea")).json()
    (card,) = waiting["items"]
    assert waiting["names"][waiting["owners"][card["id"]]] == "Eva"


async def test_a_person_is_erased_over_http(signed: Served) -> None:
    """AUD-5: by whoever supervises and configures; unknown people are not there, bad names are refused."""
    async with signed.desk.w.db.write("north", "test") as tx:
        tx.note(Draft("host_fact", "eva", {}, personal={"name": ("person:p/1", "Ana Ruiz")}))
    path = "/admin/audit/subjects/erase"
    for who, body, status in (
        ("vic", {"subject": "person:p/1"}, 403),
        ("sue", {"subject": "person:p/1"}, 404),
        ("bea", {"subject": "person:p/2"}, 404),
        ("bea", {"subject": ""}, 422),
        ("bea", {}, 422),
    ):
        assert (await signed.post(path, body, who=who)).status_code == status
    assert (await entries(signed, "?kind=host_fact"))[0]["personal"] == {"name": "Ana Ruiz"}
    done = (await signed.post(path, {"subject": "person:p/1"}, who="bea")).json()
    assert (done["subject"], done["keys"]) == ("person:p/1", 1)
    assert (await entries(signed, "?kind=host_fact"))[0]["personal"] == {"name": None}
    assert (await signed.get("/admin/audit/verify", who="bea")).json()["ok"]


async def test_checkpoints_that_cannot_be_read(signed: Served) -> None:
    """Bad input: a damaged file of checkpoints is said by each route, and never a failure of ours."""
    await worked(signed)
    size = (await signed.post("/admin/audit/checkpoint", who="bea")).json()["size"]
    await worked(signed)
    await signed.post("/admin/audit/checkpoint", who="bea")
    files = signed.desk.w.checkpoints
    assert files is not None
    path = next(files.folder.glob("*north.notes"))
    path.write_text(path.read_text(encoding="utf-8")[5:].replace(f"\n{size}\n", "\n\n"), encoding="utf-8")
    verdict = (await signed.get("/admin/audit/verify", who="bea")).json()
    assert verdict["finding"] == "unverifiable"
    assert "checkpoints cannot be read" in verdict["damage"]
    frames = [frame async for frame in signed.frames("GET", "/admin/audit/verify", who="bea")]
    assert frames[-1].data["finding"] == "unverifiable"
    refused = await signed.get("/admin/audit/export", who="bea")
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "AI_UNAVAILABLE")
