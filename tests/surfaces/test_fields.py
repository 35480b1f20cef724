"""What a person may change on a card, asked over HTTP (APPR-7)."""

from typing import Any

from deputize.testing.scripted import calls, says
from tests.engine.desk import ANA
from tests.surfaces.serving import Served


async def card(site: Served, title: str = "call Ana") -> dict[str, Any]:
    """Eva's proposal of a task for Ana."""
    site.desk.provider.then(
        calls(("find_people", {})), calls(("add_task", {"person": ANA, "title": title})), says("Done.")
    )
    session = (await site.post("/sessions", {"surface": "desk"})).json()["id"]
    frames = await site.stream("POST", f"/sessions/{session}/messages", {"content": "task for Ana"})
    return dict(frames[-1].data["call"])


async def test_the_plain_values_of_a_proposal_may_be_changed_and_its_target_not(site: Served) -> None:
    """APPR-7, TOOL-5: captions, kinds and present values; ids are never a person's to type."""
    call = await card(site)
    answer = await site.get(f"/tool-calls/{call['id']}/fields")
    assert answer.status_code == 200, answer.text
    fields = answer.json()
    fields = fields["items"] if isinstance(fields, dict) else fields
    by_name = {one["name"]: one for one in fields}
    assert "person" not in by_name
    assert (by_name["title"]["value"], by_name["title"]["optional"]) == ("call Ana", False)
    assert by_name["title"]["kind"] in ("text", "long")
    assert by_name["title"]["caption"]


async def test_only_its_owner_and_only_while_it_waits(site: Served) -> None:
    """API-2: another person's card is not there, nor is one that never was; a decided one is not to be changed."""
    call = await card(site)
    path = f"/tool-calls/{call['id']}/fields"
    assert (await site.get(path, who="vic")).status_code == 404
    assert (await site.get(path, who="sue")).status_code == 404
    assert (await site.get(path, who="nobody")).status_code == 401
    assert (await site.get("/tool-calls/none/fields")).status_code == 404
    body = {"approve": False, "digest": call["approval"]["digest"]}
    assert (await site.post(f"/tool-calls/{call['id']}/decide", body, Accept="application/json")).status_code == 200
    decided = await site.get(path)
    assert decided.status_code in (404, 409, 410), decided.text
    assert decided.json()["error"]["code"].isupper()
