"""`deputize doctor`: each thing that a deputy stands on, well and amiss (OPS-4)."""

from sqlalchemy import text

from deputize.cli.doctoring import provider
from deputize.config import Settings
from tests.cli.office import Office
from tests.engine.desk import Desk


def signs(output: str) -> dict[str, str]:
    """What was looked at, and its sign."""
    lines = [line for line in output.splitlines() if line[:2] in ("ok", "--", "!!")]
    return {line[4:].split(": ")[0]: line[:2] for line in lines}


def test_all_is_well(office: Office) -> None:
    office.sign().note(2)
    office.type("audit", "checkpoint")
    seen = office.type("doctor")
    assert seen.exit_code == 0, seen.output
    assert set(signs(seen.output).values()) == {"ok"}
    assert "north: 2 of 2 entries signed" in seen.output


def test_no_key_is_worth_knowing(office: Office) -> None:
    seen = office.type("doctor")
    assert (seen.exit_code, signs(seen.output)["checkpoints"]) == (0, "--")


def test_missing_tables_are_a_fault_with_its_remedy(office: Office) -> None:
    async def drop(desk: Desk) -> None:
        async with desk.engine.begin() as conn:
            await conn.execute(text("DROP TABLE deputize_version"))

    office.do(drop)
    seen = office.type("doctor")
    assert (seen.exit_code, signs(seen.output)["tables"]) == (1, "!!")
    assert "deputize db upgrade" in seen.output


def test_a_key_that_others_read_and_a_chain_that_was_cut(office: Office) -> None:
    """AUD-4: what the signer would refuse is found before it is asked."""
    office.sign().note(3)
    office.type("audit", "checkpoint")
    office.key.chmod(0o644)
    seen = office.type("doctor")
    assert (seen.exit_code, signs(seen.output)["checkpoint key"]) == (1, "!!")
    office.key.chmod(0o600)
    notes = next((office.folder / "keys" / "checkpoints").glob("*north.notes"))
    notes.write_text("torn\n", encoding="utf-8")
    seen = office.type("doctor")
    assert (seen.exit_code, signs(seen.output)["checkpoints"]) == (1, "!!")


def test_an_address_that_cannot_be_found() -> None:
    """PROV-4: the name is looked up, nothing is sent there."""
    settings = Settings(AI_ENABLED=True, AI_PROVIDER="openai", AI_BASE_URL="https://model.example", AI_API_KEY="k",
                        AI_SECRET_KEY="a key for tests, long enough")  # fmt: skip

    def nowhere(host: str, port: int) -> list[str]:
        raise OSError(f"{host}:{port}")

    assert [one.how for one in provider(settings, nowhere)] == ["ok", "fault"]
    assert [one.how for one in provider(settings, lambda host, port: ["192.0.2.1"])] == ["ok", "ok"]


def test_a_database_that_is_not_there(office: Office) -> None:
    """Commands say so in a sentence, never with a traceback."""
    (office.folder / "office.db").write_bytes(b"this is no database" * 100)
    for words in (("runs",), ("audit", "verify"), ("retention", "--dry-run")):
        office.seeded = True
        answer = office.type(*words)
        assert (answer.exit_code, "deputize doctor" in answer.output) == (2, True), answer.output
    assert office.type("doctor").exit_code == 1
