"""Mail: what certainly did not leave is told from what may have left (APPR-5), in a folder and over SMTP."""

from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from deputize_hosts.kit.mail import WORDS, Deliver, Letter, NotDelivered, compose, kept, mail_folder, smtp
from deputize_hosts.kit.pages import HERE
from tests.hosts.kit.smtp_server import Mailbox, mailbox

LETTER = Letter("ana@ruiz.example", "Your visit", "Dear Ana,\n.\nuntil Monday — ñ", "north:visit:1")


def through(box: Mailbox) -> Deliver:
    return smtp("127.0.0.1", box.port, sender="desk@clinic.example", security="none", timeout=5)


async def test_a_letter_arrives_as_it_was_written() -> None:
    async with mailbox() as box:
        ident = await through(box)(LETTER)
        again = await through(box)(LETTER)
    assert ident == again, "the id depends on the key alone"
    first = box.letters[0]
    assert "To: ana@ruiz.example" in first
    assert "Subject: Your visit" in first
    assert ident in first


@pytest.mark.parametrize(
    "behaviour",
    [
        {"replies": {"MAIL": "550 no"}},
        {"replies": {"RCPT": "550 unknown"}},
        {"replies": {"RCPT": "451 later"}},
        {"replies": {"DATA": "554 no"}},
        {"replies": {"END": "552 too big"}},
    ],
)
async def test_what_the_server_refuses_certainly_did_not_leave(behaviour: dict[str, object]) -> None:
    async with mailbox(**behaviour) as box:
        with pytest.raises(NotDelivered) as raised:
            await through(box)(LETTER)
    assert "ana" not in str(raised.value)


async def test_nobody_there() -> None:
    async with mailbox() as box:
        deliver = through(box)
    with pytest.raises(NotDelivered):
        await deliver(LETTER)


@pytest.mark.parametrize("hang_up", ["DATA after taking", "DATA before taking"])
async def test_a_line_that_breaks_while_the_letter_is_handed_over_is_not_known(hang_up: str) -> None:
    async with mailbox(hang_up=hang_up) as box:
        with pytest.raises(Exception, match="closed") as raised:
            await through(box)(LETTER)
    assert not isinstance(raised.value, NotDelivered)
    assert len(box.letters) == (hang_up == "DATA after taking")


@pytest.mark.parametrize(
    "bad",
    [
        Letter("ana@ruiz.example\nBcc: all@x.example", "s", "b", "k"),
        Letter("ana@ruiz.example", "s\r\nBcc: all@x.example", "b", "k"),
        Letter("no address", "s", "b", "k"),
        Letter("a@x.example, b@y.example", "s", "b", "k"),
    ],
)
def test_nothing_is_smuggled_into_the_headers(bad: Letter) -> None:
    """TOOL-7: one destination, the one on the card."""
    with pytest.raises(NotDelivered):
        compose(bad, "desk@clinic.example")


async def test_the_folder_keeps_each_key_once(tmp_path: Path) -> None:
    deliver = mail_folder(tmp_path / "mail")
    assert await deliver(LETTER) == await deliver(LETTER)
    await deliver(Letter("bob@stone.example", "Second", "Hello", "north:visit:2"))
    found = kept(tmp_path / "mail")
    assert sorted(letter.to for letter in found) == ["ana@ruiz.example", "bob@stone.example"]
    assert next(one.body for one in found if one.to.startswith("ana")).strip() == LETTER.body
    assert kept(tmp_path / "none") == []


async def test_the_page_escapes_what_it_shows(tmp_path: Path) -> None:
    deliver = mail_folder(tmp_path)
    await deliver(Letter("ana@ruiz.example", "<b>bold</b>", "<script>x</script>", "k"))
    layout = "{% block title %}{% endblock %}{% block main %}{% endblock %}"
    sources = {"mail.html": (HERE / "templates" / "mail.html").read_text(), "plain.html": layout}
    page = Environment(loader=DictLoader(sources), autoescape=True).get_template("mail.html")
    words = {name: texts["es"] for name, texts in WORDS.items()}
    html = page.render(layout="plain.html", letters=kept(tmp_path), words=words)
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
    assert "<b>" not in html
