"""The auditor's pack: it verifies offline, holds what was shown and executed, and is an entry itself (AUD-6)."""

import hashlib
import json
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession
from typer.testing import CliRunner

from deputize import DeputizeError, Settings
from deputize.cli.audit import program
from deputize.core.chain import Finding
from deputize.core.pack import open_pack, verify_pack
from deputize.store import keyfile
from deputize.testing.scripted import calls, says
from deputize_hosts.casedesk.conflicts import service as conflicts
from deputize_hosts.casedesk.main import build
from deputize_hosts.casedesk.pack.service import records_of
from deputize_hosts.casedesk.settings import HostSettings
from tests.hosts.casedesk.browser import Person, text_of
from tests.hosts.casedesk.people import (
    AUDITOR,
    CALDER,
    NORDWIND,
    NORDWIND_BIRTH,
    OFFICER,
    OTHER,
    member,
)
from tests.hosts.casedesk.rig import Rig, make_rig


@pytest.fixture
async def signed(casedesk: AsyncEngine, tmp_path: Path) -> AsyncIterator[Rig]:
    """A desk whose deployment has a checkpoint key, with one escalation done and one refused."""
    key = tmp_path / "keys" / "checkpoint.key"
    keyfile.generate(key)
    rig = await make_rig(casedesk, settings={"AI_CHECKPOINT_KEY_FILE": key})
    officer = await rig.actor(OFFICER)
    said = {"discrepancy": str(NORDWIND_BIRTH), "rationale": "<b>swapped</b> day and month"}
    rig.provider.then(
        calls(("list_discrepancies", {"case": str(NORDWIND)})),
        calls(("resolve_discrepancy", {**said, "resolution": "corrected"})),
        calls(("resolve_discrepancy", {**said, "resolution": "escalated"})),
        says("Escalated."),
    )
    told = await rig.say(officer, await rig.open(officer, "case", ("case", NORDWIND)), "the birth dates differ")
    assert (await rig.settle(officer, told)).outcome == "ok"
    rig.provider.then(calls(("get_case", {"case": str(CALDER)})), says("Calder is fine."))
    await rig.say(officer, await rig.open(officer, "case", ("case", CALDER)), "what about Calder?", ("case", CALDER))
    yield rig
    await rig.deputy.close()


async def export(rig: Rig, path: Path, who: str = AUDITOR) -> Path:
    async with AsyncSession(rig.engine) as session:
        pack = await records_of(session, await member(session, who), NORDWIND)
    actor = await rig.actor(who)
    await rig.deputy.export_case(
        actor.tenant, path, fields={"subject": pack.ids}, actor=actor, title=pack.title, records=pack.records
    )
    return path


async def test_the_pack_verifies_without_the_database(signed: Rig, tmp_path: Path) -> None:
    """AUD-4, AUD-6: by the command that an auditor runs, with the verifier key alone."""
    path = await export(signed, tmp_path / "case.zip")
    files = signed.deputy.wiring.checkpoints
    assert files is not None
    tenant = (await signed.actor(AUDITOR)).tenant
    key = files.trusted(tenant)
    pack = open_pack(path)
    verdict = verify_pack(pack, [key])
    assert verdict.finding is Finding.VERIFIED
    assert not pack.complete
    said = CliRunner().invoke(program, ["verify", str(path), "--trust", key.vkey()])
    assert (said.exit_code, "verified" in said.output) == (0, True), said.output


async def test_an_edited_pack_is_noticed(signed: Rig, tmp_path: Path) -> None:
    path = await export(signed, tmp_path / "case.zip")
    forged = tmp_path / "forged.zip"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(forged, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data.replace(b"escalated", b"corrected") if name == "entries.jsonl" else data)
    files = signed.deputy.wiring.checkpoints
    assert files is not None
    trusted = [files.trusted((await signed.actor(AUDITOR)).tenant)]
    assert verify_pack(open_pack(forged), trusted).finding is Finding.TAMPERED


async def test_the_pack_holds_the_case_and_nothing_of_others(signed: Rig, tmp_path: Path) -> None:
    path = await export(signed, tmp_path / "case.zip")
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    kinds = [json.loads(json.loads(line)["header"])["kind"] for line in files["entries.jsonl"].splitlines()]
    assert {"tool_refused", "tool_staged", "tool_executed", "copilot_action", "case_exported"} <= set(kinds)
    assert kinds[-1] == "case_exported"
    assert "the birth dates differ" in files["transcript.jsonl"]
    assert "Calder" not in "".join(files.values())
    exported = json.loads(json.loads(files["entries.jsonl"].splitlines()[-1])["payload"])
    assert exported["transcript_sha256"] == hashlib.sha256(files["transcript.jsonl"].encode()).hexdigest()
    assert exported["records_sha256"] == hashlib.sha256(files["records.json"].encode()).hexdigest()
    assert exported["subject"] == str(NORDWIND)


async def test_the_page_tells_what_was_shown_and_what_was_executed(signed: Rig, tmp_path: Path) -> None:
    """AUD-2: both digests side by side; every value is text, none is markup; nothing is loaded."""
    path = await export(signed, tmp_path / "case.zip")
    with zipfile.ZipFile(path) as archive:
        page = archive.read("case.html").decode()
    assert "the same effect" in page
    assert "a different effect" not in page
    assert "Tom Okafor" in page
    assert "&lt;b&gt;swapped&lt;/b&gt;" in page
    assert "<b>swapped" not in page
    assert "<script" not in page
    assert "src=" not in page
    for part in ("Timeline", "Resolutions", "Transcript", "Shown against executed", "Signal events"):
        assert f"<h2>{part}</h2>" in page
    assert "1974-02-05 (identity)" in page


async def test_who_may_export_and_what(signed: Rig, tmp_path: Path) -> None:
    """API-2: an officer may not, another firm's case is not there."""
    officer, other, path = await signed.actor(OFFICER), await signed.actor(OTHER), tmp_path / "no.zip"
    with pytest.raises(DeputizeError) as refused:
        await signed.deputy.export_case(officer.tenant, path, fields={"subject": [str(NORDWIND)]}, actor=officer)
    assert refused.value.status == 403
    with pytest.raises(DeputizeError) as missing:
        await signed.deputy.export_case(officer.tenant, path, fields={"subject": [str(NORDWIND)]}, actor=other)
    assert missing.value.status == 404
    assert not path.exists()


async def test_the_page_gives_the_file_to_the_auditor_only(casedesk: AsyncEngine, tmp_path: Path) -> None:
    key = tmp_path / "keys" / "checkpoint.key"
    keyfile.generate(key)
    settings = Settings(enabled=True, secret_key="a key for tests, long enough", checkpoint_key_file=key)
    built = build(HostSettings(secret="cookies"), settings, engine=casedesk)
    async with AsyncSession(casedesk) as session, session.begin():
        officer = await member(session, OFFICER)
        await conflicts.clear(session, officer, NORDWIND_BIRTH, "corrected", "passport checked", confirmed=True)
    person = Person(built.app)
    await person.sign_in(OFFICER)
    assert (await person.send(f"/audit/{NORDWIND}/pack")).status_code == 403
    await person.send("/sign-out")
    await person.sign_in(AUDITOR)
    answer = await person.send(f"/audit/{NORDWIND}/pack")
    assert answer.headers["content-type"] == "application/zip"
    path = tmp_path / "sent.zip"
    path.write_bytes(answer.content)
    files = built.deputy.wiring.checkpoints
    assert files is not None
    verdict = verify_pack(open_pack(path), [files.trusted(officer.tenant)])
    assert verdict.finding is Finding.VERIFIED
    with zipfile.ZipFile(path) as archive:
        assert "passport checked" in archive.read("case.html").decode()
    await person.client.aclose()
    await built.deputy.close()


async def test_without_a_key_nothing_is_exported_and_the_page_says_why(casedesk: AsyncEngine) -> None:
    settings = Settings(enabled=True, secret_key="a key for tests, long enough")
    built = build(HostSettings(secret="cookies"), settings, engine=casedesk)
    person = Person(built.app)
    await person.sign_in(AUDITOR)
    answer = await person.send(f"/audit/{NORDWIND}/pack")
    assert "No checkpoint key is configured" in text_of(answer)
    await person.client.aclose()
    await built.deputy.close()
