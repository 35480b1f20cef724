"""Pages for those who watch over the agents; a script fills them from the mounted admin interface."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from deputize_hosts.kit.errors import language_of
from deputize_hosts.workorders.auth.service import Member
from deputize_hosts.workorders.caller import require
from deputize_hosts.workorders.orders.status import Priority
from deputize_hosts.workorders.pages.access import Signed
from deputize_hosts.workorders.pages.render import show
from deputize_hosts.workorders.pages.words import WORDS

router = APIRouter(prefix="/app")
SUPERVISE = "copilot.supervise"


def _script_words(member: Member) -> dict[str, str]:
    """The words that the script needs, in the member's language; values are filled in by the script."""
    language = language_of(member)
    ours = {key.removeprefix("agents.js."): WORDS.say(language, key) for key in WORDS.table if "agents.js." in key}
    named = {f"priority.{priority.value}": WORDS.say(language, f"priority.{priority.value}") for priority in Priority}
    modes = {f"mode.{mode}": WORDS.say(language, f"agents.mode.{mode}") for mode in ("suggest", "auto-apply")}
    return {**ours, **named, **modes}


def _page(request: Request, member: Member, template: str, section: str, run_id: str = "") -> Response:
    require(member, SUPERVISE)
    return show(
        request,
        member,
        template,
        "agents",
        part=section,
        may_configure=member.may("copilot.configure"),
        script_words=_script_words(member),
        priorities=list(Priority),
        run_id=run_id,
    )


@router.get("/admin/agents")
async def settings_page(request: Request, member: Signed) -> Response:
    """The triage policy with its switch, the history, a manual run."""
    return _page(request, member, "agents.html", "settings")


@router.get("/admin/agents/runs")
async def runs_page(request: Request, member: Signed) -> Response:
    """The passes that were made."""
    return _page(request, member, "agent_runs.html", "runs")


@router.get("/admin/agents/runs/{run_id}")
async def run_page(request: Request, member: Signed, run_id: str) -> Response:
    """One pass: what was asked, answered and done. The view is recorded by the interface that gives it."""
    return _page(request, member, "agent_run.html", "runs", run_id)


@router.get("/admin/agents/events")
async def events_page(request: Request, member: Signed) -> Response:
    """Events that were given up on, to be tried again."""
    return _page(request, member, "agent_events.html", "events")


@router.get("/copilot")
async def copilot_page(request: Request, member: Signed) -> Response:
    """The copilot as a full page."""
    require(member, "copilot.chat")
    return show(request, member, "copilot.html", "copilot")
