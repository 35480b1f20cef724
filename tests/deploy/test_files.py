"""The deployment files, read as structures: no container engine runs here, so what it would do is checked by rule."""

import re
import shlex
from importlib.metadata import requires
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # no types are published beside it
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from deputize_hosts.workorders.operate import program as operate
from scripts import generate_settings
from tests.deploy.composed import COMPOSE, FOLDER, SERVICES, command, environment, filled, variables
from tests.house.sources import ROOT, tracked

OURS = ("prepare", "api", "worker")
LASTING = ("db", "api", "worker", "proxy")
SECRET = re.compile(r"PASSWORD|SECRET|API_KEY|TOKEN|CREDENTIAL")
LOOKUP = {"DB_PASSWORD": "x", "WORKORDERS_SECRET_KEY": "y", "AI_SECRET_KEY": "z"}


def instructions() -> list[tuple[str, str]]:
    """The container file's instructions with their words; continued lines are joined, comments left out."""
    text = (FOLDER / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.strip() for line in text.split("\n") if line.strip() and not line.startswith("#")]
    return [(name, " ".join(rest.split())) for name, _, rest in (line.partition(" ") for line in lines)]


INSTRUCTIONS = instructions()
STAGES = [n for n, (name, _) in enumerate(INSTRUCTIONS) if name == "FROM"]
FINAL = INSTRUCTIONS[STAGES[-1] :]


def test_the_compose_file_has_the_four_parts_and_their_preparation() -> None:
    """OPS-1: API, worker, PostgreSQL and nginx; one image for everything of ours."""
    assert set(SERVICES) == {*LASTING, "prepare"}
    assert {SERVICES[name]["image"] for name in OURS} == {"workorders"}
    built = {(ROOT / "deploy" / one["build"]["context"]).resolve() for one in SERVICES.values() if "build" in one}
    assert built == {ROOT}
    assert (ROOT / SERVICES["api"]["build"]["dockerfile"]).is_file()
    assert SERVICES["db"]["image"].startswith("postgres:")
    assert SERVICES["proxy"]["image"].startswith("nginx:")


def test_everything_starts_after_what_it_needs() -> None:
    for name, service in SERVICES.items():
        for needed, how in service.get("depends_on", {}).items():
            condition = how["condition"]
            assert needed in SERVICES, name
            assert condition != "service_healthy" or "healthcheck" in SERVICES[needed], name
            assert condition != "service_completed_successfully" or SERVICES[needed]["restart"] == "no", name
    for name in LASTING:
        assert "healthcheck" in SERVICES[name], name
        assert SERVICES[name]["restart"] == "unless-stopped", name


def test_only_the_proxy_is_reached_from_outside_and_by_default_from_this_machine_alone() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert [filled(port, {}) for port in SERVICES["proxy"]["ports"]] == ["127.0.0.1:8080:8080"]


def test_volumes_that_are_mounted_are_declared_or_files_of_the_repository() -> None:
    for name, service in SERVICES.items():
        for mount in service.get("volumes", ()):
            source = mount.split(":")[0]
            assert source in COMPOSE["volumes"] or (ROOT / "deploy" / source).resolve().is_file(), (name, mount)


@pytest.mark.parametrize("name", OURS)
def test_ours_run_without_rights_that_they_do_not_need(name: str) -> None:
    service = SERVICES[name]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert "no-new-privileges:true" in service["security_opt"]
    assert not {"privileged", "network_mode", "pid", "user"} & set(service)


def test_sec_1_no_secret_stands_in_a_deployment_file() -> None:
    """Each comes from `.env`, which is not committed; without it nothing starts, and the message says what to set."""
    for name in (*OURS, "db"):
        for key, value in SERVICES[name]["environment"].items():
            if SECRET.search(key):
                assert re.fullmatch(r"\$\{[A-Z_]+:(\?[^}]+|-)\}", str(value)), (name, key)
        with pytest.raises(KeyError, match=r"set \w+ in \.env"):
            environment(name, {})
    for line in (FOLDER / ".env.example").read_text(encoding="utf-8").split("\n"):
        key, _, value = line.partition("=")
        assert not (SECRET.search(key) and value and not line.startswith("#")), key
    assert not any(SECRET.search(words) for name, words in INSTRUCTIONS if name in ("ENV", "ARG", "LABEL"))
    assert "deploy/.env" not in {path.relative_to(ROOT).as_posix() for path in tracked()}


def test_the_example_names_every_value_that_the_compose_file_takes_and_no_other() -> None:
    used = variables((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
    example = (FOLDER / ".env.example").read_text(encoding="utf-8")
    assert used == set(re.findall(r"^([A-Z_]+)=", example, re.MULTILINE))


def test_ops_2_every_setting_of_the_containers_is_one_that_the_code_reads() -> None:
    known = {name for setting in generate_settings.settings() for name in setting.names}
    hosts = {"DATABASE_URL", "WORKORDERS_SECRET_KEY", "DEPUTIZE_APP"}
    for name in OURS:
        assert set(environment(name, LOOKUP)) - hosts <= known
    shown = dict(re.findall(r"^([A-Z_]+)=(.+)$", (FOLDER / ".env.example").read_text(encoding="utf-8"), re.MULTILINE))
    composed = environment("api", LOOKUP)
    assert {key: composed[key] for key in shown if key in composed} == {k: v for k, v in shown.items() if k in composed}


def test_the_streams_are_not_held_back() -> None:
    """SSE-1: the proxy serves the documents' own site, in which buffering is off, and waits longer than a ping."""
    site = (ROOT / "docs/deploy/nginx.conf").read_text(encoding="utf-8")
    mounts = [mount.split(":")[0] for mount in SERVICES["proxy"]["volumes"]]
    assert [(ROOT / "deploy" / mount).resolve() for mount in mounts] == [ROOT / "docs/deploy/nginx.conf"]
    assert re.search(r"^\s*proxy_buffering off;", site, re.MULTILINE)
    assert "text/event-stream" not in " ".join(re.findall(r"gzip_types ([^;]*);", site))
    waits = re.search(r"proxy_read_timeout (\d+)s;", site)
    assert waits is not None
    assert int(waits[1]) >= 2 * 15
    script = command("proxy")[-1]
    for written in re.findall(r"s/([^/]+)/", script):
        assert site.count(written) == 1, "what the script replaces stands in the site once"


def test_the_image_runs_as_nobody_in_particular() -> None:
    users = [words for name, words in FINAL if name == "USER"]
    assert users, "the last stage names a user"
    assert users[-1] not in ("root", "0")
    [start] = [words for name, words in FINAL if name == "CMD"]
    assert start.startswith('["deputize", "serve"'), "exec form, so that the process gets the signals"
    assert command("api")[:3] == ["deputize", "serve", "deputize_hosts.workorders.main:app"]


def test_the_image_is_built_from_stages_that_exist_and_files_that_are_sent() -> None:
    """What `COPY` names is in the repository, and `.dockerignore` lets it through to the builder."""
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").split("\n") if line.startswith("!")]
    stages: set[str] = set()
    for name, words in INSTRUCTIONS:
        parts = shlex.split(words)
        assert name != "ADD", "ADD fetches and unpacks; COPY does neither"
        if name == "FROM":
            assert re.fullmatch(r"(node|python):[\w.-]+", parts[0]), "a tag, and the registry that the engine knows"
            stages |= {parts[2]} if len(parts) == 3 else set()
        if name != "COPY":
            continue
        given = {part for part in parts if part.startswith("--from=")}
        if given:
            assert {one.removeprefix("--from=") for one in given} <= stages
            continue
        for source in parts[:-1]:
            assert (ROOT / source).exists() or source.startswith("src/deputize/surfaces/http/static"), source
            assert any(f"{source}/".startswith(f"{keep}/") for keep in kept), source


def test_the_image_installs_what_the_lock_holds_by_hash() -> None:
    runs = " ".join(words for name, words in INSTRUCTIONS if name == "RUN")
    installs = re.findall(r"pip install ([^&|;]*)", runs)
    assert all("--require-hashes" in one or "--no-deps" in one for one in installs)
    assert "npm ci" in runs


def pins(name: str) -> dict[str, str]:
    """Package and version of each entry of a lock."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return {
        canonicalize_name(one): version for one, version in re.findall(r"^([\w.-]+)==([^ ;\\]+)", text, re.MULTILINE)
    }


def test_the_image_s_lock_is_the_tested_one_without_what_only_tests_need() -> None:
    """Every version is the one that the tests ran with; everything that the package and its extras ask for is there."""
    image, tested = pins("deploy/requirements.lock"), pins("requirements-dev.lock")
    assert {name: tested.get(name) for name in image} == image
    asked = {canonicalize_name(Requirement(line).name) for line in requires("deputize") or ()}
    assert asked - set(image) == set()
    assert not {"pytest", "playwright", "mypy", "ruff"} & set(image)
    text = (ROOT / "deploy/requirements.lock").read_text(encoding="utf-8")
    assert "://" not in text
    assert text.count("--hash=sha256:") >= len(image)


def test_the_commands_of_the_documents_and_the_preparation_exist() -> None:
    script = command("prepare")[-1]
    assert "deputize db upgrade" in script
    named = set(
        re.findall(r"workorders\.operate (\w+)", script + (ROOT / "docs/deploy/containers.md").read_text("utf-8"))
    )
    assert named == {str(one.callback.__name__) for one in operate.registered_commands if one.callback}


def test_ci_calls_the_repository_s_own_script() -> None:
    """The public service does what everybody does: no step of the tests stands in the workflow itself."""
    path = ROOT / ".github/workflows/ci.yml"
    flow: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    steps = flow["jobs"]["test"]["steps"]
    assert [step["run"] for step in steps if "run" in step] == [".ci/run"]
    assert steps[0]["uses"].startswith("actions/checkout@")
    assert flow["permissions"] == {"contents": "read"}
    assert set(flow[True]) == {"push", "pull_request"}, "YAML reads the key `on` as true"
    assert "secrets." not in path.read_text(encoding="utf-8")
