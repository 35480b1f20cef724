"""The one reader of the environment: every setting with its default, every fault named at once (OPS-2)."""

from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from deputize.core.errors import ConfigurationError
from deputize.core.usage import Price
from deputize.policy.automation import parse_hours
from deputize.policy.limits import Limits
from deputize.providers import registry
from deputize.providers.endpoint import check_base_url
from deputize.store import keyfile

Millis = int


def _env(*names: str, default: Any, **rules: Any) -> Any:
    return Field(default=default, validation_alias=AliasChoices(*names), **rules)


class Settings(BaseSettings):
    """`AI_*` and `AGENT_*`; times in milliseconds, money in US dollars, an empty cap is no cap.

    With `AI_ENABLED=false` nothing else is required. Raises ConfigurationError with every fault.
    """

    model_config = SettingsConfigDict(extra="ignore", frozen=True, env_ignore_empty=True, populate_by_name=True)

    enabled: bool = _env("AI_ENABLED", default=False)
    provider: str = _env("AI_PROVIDER", "COPILOT_PROVIDER_DEFAULT", default="offline")
    base_url: str | None = _env("AI_BASE_URL", default=None)
    api_key: SecretStr = _env("AI_API_KEY", default=SecretStr(""))
    openai_api_key: SecretStr = _env("OPENAI_API_KEY", default=SecretStr(""))
    anthropic_api_key: SecretStr = _env("ANTHROPIC_API_KEY", default=SecretStr(""))
    model: str | None = _env("AI_MODEL", "COPILOT_MODEL_CHAT_OPENAI", default=None)
    allow_private_endpoint: bool = _env("AI_ALLOW_PRIVATE_ENDPOINT", default=False)

    max_steps_per_run: int = _env("AI_MAX_STEPS_PER_RUN", default=8, ge=1, le=100)
    max_output_tokens: int = _env("AI_MAX_OUTPUT_TOKENS", "COPILOT_MAX_TOKENS", default=2048, ge=1)
    max_context_tokens: int = _env("AI_MAX_CONTEXT_TOKENS", default=16384, ge=512)
    price_per_1m_input: Decimal | None = _env("AI_PRICE_PER_1M_INPUT", default=None, ge=0)
    price_per_1m_output: Decimal | None = _env("AI_PRICE_PER_1M_OUTPUT", default=None, ge=0)
    daily_spend_usd: Decimal | None = _env("AI_DAILY_SPEND_USD", default=Decimal("1.00"), ge=0)
    agent_daily_spend_usd: Decimal | None = _env("AGENT_DAILY_SPEND_USD", default=Decimal("1.00"), ge=0)
    global_daily_spend_usd: Decimal | None = _env("AI_GLOBAL_DAILY_SPEND_USD", default=Decimal("5.00"), ge=0)

    approval_ttl_ms: Millis = _env("AI_APPROVAL_TTL_MS", default=600_000, ge=1000)
    sse_keepalive_ms: Millis = _env("AI_SSE_KEEPALIVE_MS", default=15_000, ge=100)
    disconnect_grace_ms: Millis = _env("AI_DISCONNECT_GRACE_MS", default=3_000, ge=0)
    rate_limit_max: int = _env("AI_RATE_LIMIT_MAX", default=20, ge=1)
    max_actions_per_minute: int = _env("AI_MAX_ACTIONS_PER_MINUTE", default=10, ge=1)
    max_actions_per_session: int = _env("AI_MAX_ACTIONS_PER_SESSION", default=100, ge=1)
    max_staged_writes_per_run: int = _env("AI_MAX_STAGED_WRITES_PER_RUN", default=4, ge=1)
    max_messages_per_session: int = _env("AI_MAX_MESSAGES_PER_SESSION", default=500, ge=2)
    blocked_tools: str = _env("AI_BLOCKED_TOOLS", default="")

    redaction_default: bool = _env("AI_REDACTION_DEFAULT", "COPILOT_REDACTION_DEFAULT", default=True)
    entity_model: Literal["auto", "off"] = _env("AI_ENTITY_MODEL", default="auto")
    secret_key: SecretStr = _env("AI_SECRET_KEY", default=SecretStr(""))
    directory_mb: int = _env("AI_DIRECTORY_MB", default=256, ge=1)
    checkpoint_key_file: Path | None = _env("AI_CHECKPOINT_KEY_FILE", default=None)

    agent_poll_interval_ms: Millis = _env("AGENT_POLL_INTERVAL_MS", default=5_000, ge=10)
    agent_lease_ms: Millis = _env("AGENT_LEASE_MS", default=15_000, ge=1_000)
    agent_sweep_interval_ms: Millis = _env("AGENT_SWEEP_INTERVAL_MS", default=5_000, ge=100)
    agent_max_attempts: int = _env("AGENT_MAX_ATTEMPTS", default=3, ge=1)
    agent_reconcile_after_ms: Millis = _env("AGENT_RECONCILE_AFTER_MS", default=60_000, ge=1_000)
    agent_triage_mode: Literal["suggest", "auto-apply"] = _env("AGENT_TRIAGE_MODE", default="suggest")
    agent_working_hours: str = _env("AGENT_WORKING_HOURS", default="*")
    agent_concurrency: int = _env("AGENT_CONCURRENCY", default=2, ge=1)

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise ConfigurationError([_fault(fault) for fault in error.errors(include_input=False)]) from None
        faults = self.faults()
        if faults:
            raise ConfigurationError(faults)

    @field_validator("daily_spend_usd", "agent_daily_spend_usd", "global_daily_spend_usd", mode="before")
    @classmethod
    def _no_cap(cls, value: Any) -> Any:
        return None if isinstance(value, str) and value.strip().lower() in ("", "none") else value

    def faults(self) -> list[str]:
        """What is wrong beyond single values; nothing is asked for while the copilot is off."""
        if not self.enabled:
            return []
        faults = [
            f"AI_PROVIDER: {text}" for text in registry.faults_of(self.provider, api_key=self.key_of(self.provider))
        ]
        if self.base_url:
            faults += [f"AI_BASE_URL: {text}" for text in check_base_url(self.base_url, self.allow_private_endpoint)]
        try:
            parse_hours(self.agent_working_hours)
        except ValueError as error:
            faults.append(f"AGENT_WORKING_HOURS: {error}")
        if len(self.secret_key.get_secret_value()) < 16:
            faults.append("AI_SECRET_KEY: at least 16 characters are needed to seal the vaults")
        if self.checkpoint_key_file is not None:
            try:
                keyfile.load(self.checkpoint_key_file)
            except ValueError as error:
                faults.append(f"AI_CHECKPOINT_KEY_FILE: {error}")
        return faults

    def key_of(self, provider: str) -> str:
        """The provider's key: `AI_API_KEY` for the chosen one, else the vendor's own variable."""
        own = {"openai": self.openai_api_key, "anthropic": self.anthropic_api_key}.get(provider, SecretStr(""))
        shared = self.api_key.get_secret_value() if provider == self.provider else ""
        return shared or own.get_secret_value()

    def configured_price(self) -> Price:
        """Micro-dollars a million tokens where no list knows the model (OPS-2: 0.15 and 0.60 dollars)."""
        into = Decimal("0.15") if self.price_per_1m_input is None else self.price_per_1m_input
        out = Decimal("0.60") if self.price_per_1m_output is None else self.price_per_1m_output
        micro_in, micro_out = max(1, int(into * 1_000_000)), max(1, int(out * 1_000_000))
        return Price(micro_in, micro_out, cache_read=micro_in, cache_write=micro_in)

    @property
    def price_overrides(self) -> bool:
        """True where the operator set a price, which then stands above the list (BUD-6)."""
        return self.price_per_1m_input is not None or self.price_per_1m_output is not None

    def limits(self) -> Limits:
        """The figures that bound a run."""
        return Limits(
            steps_per_run=self.max_steps_per_run,
            output_tokens=self.max_output_tokens,
            context_tokens=self.max_context_tokens,
            messages_per_conversation=self.max_messages_per_session,
            actions_per_minute=self.max_actions_per_minute,
            actions_per_session=self.max_actions_per_session,
            staged_writes_per_run=self.max_staged_writes_per_run,
            starts_per_minute=self.rate_limit_max,
            approval_ttl=self.approval_ttl_ms / 1000,
            disconnect_grace=self.disconnect_grace_ms / 1000,
            keepalive=self.sse_keepalive_ms / 1000,
            lease=self.agent_lease_ms / 1000,
            user_day_micro=_micro(self.daily_spend_usd),
            agent_day_micro=_micro(self.agent_daily_spend_usd),
            global_day_micro=_micro(self.global_daily_spend_usd),
            agent_attempts=self.agent_max_attempts,
            agent_poll=self.agent_poll_interval_ms / 1000,
            agent_sweep=self.agent_sweep_interval_ms / 1000,
            agent_reconcile=self.agent_reconcile_after_ms / 1000,
            agent_mode=self.agent_triage_mode,
            agent_hours=self.agent_working_hours,
            agent_concurrency=self.agent_concurrency,
            blocked_tools=frozenset(name.strip() for name in self.blocked_tools.split(",") if name.strip()),
        )


def _micro(dollars: Decimal | None) -> int | None:
    return None if dollars is None else int(dollars * 1_000_000)


def _fault(fault: Any) -> str:
    """The variable's name and the rule, never its value."""
    where = ".".join(str(part) for part in fault["loc"])
    return f"{where}: {fault['msg']}"
