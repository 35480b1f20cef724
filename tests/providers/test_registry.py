"""Names of providers: known ones are made, unknown ones refused with the known ones, SDKs loaded late (PROV-1)."""

import subprocess
import sys

import pytest

from deputize.core.errors import ConfigurationError
from deputize.providers import registry
from deputize.providers.anthropic import AnthropicProvider
from deputize.providers.openai import OpenAIProvider
from deputize.providers.registry import NAMES, create, faults_of


def test_prov_1_an_unknown_name_is_refused_with_the_known_ones() -> None:
    (fault,) = faults_of("opnai", api_key="k")
    assert "opnai" in fault
    assert all(name in fault for name in NAMES)
    with pytest.raises(ConfigurationError) as caught:
        create("opnai")
    assert caught.value.faults == tuple(faults_of("opnai"))


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_prov_1_a_provider_without_its_key_is_refused(name: str) -> None:
    assert faults_of(name) == [f"the provider {name} needs a key"]
    assert faults_of(name, api_key="k") == []
    with pytest.raises(ConfigurationError):
        create(name, default_model="m")


def test_prov_1_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    assert faults_of("openai") == [
        "the provider openai needs the package openai: install deputize[openai]",
        "the provider openai needs a key",
    ]


def test_prov_2_offline_needs_nothing() -> None:
    assert faults_of("offline") == []
    made = create("offline", base_url="http://ignored", api_key="ignored", default_model="ignored")
    assert (made.name, made.is_language_model) == ("offline", False)


async def test_the_vendors_are_made_with_their_options() -> None:
    for name, kind in (("openai", OpenAIProvider), ("anthropic", AnthropicProvider)):
        made = create(name, api_key="k", default_model="m", base_url="https://llm.example.com/v1", timeout=3.0)
        assert isinstance(made, kind)
        assert (made.name, made.default_model, made.is_language_model) == (name, "m", True)
        await made.close()


def test_prov_4_a_bad_base_url_is_a_configuration_error_without_its_secrets() -> None:
    with pytest.raises(ConfigurationError) as caught:
        create("openai", api_key="canary-key", default_model="m", base_url="http://u:canary-pw@127.0.0.1/v1")
    assert "https" in str(caught.value)
    assert "canary" not in str(caught.value)


def test_the_sdks_are_loaded_only_when_used() -> None:
    code = (
        "import sys, deputize.providers.registry as r; r.faults_of('openai', api_key='k');"
        "sys.exit(bool({'openai', 'anthropic'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
