"""The instruments themselves; labels are words of ours and of the declarations, never a name or a value (OPS-3)."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from deputize.core.usage import Usage

SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160)
"""Upper bounds of the classes in which a model's answers are counted."""


class Meters:
    """One deputy's figures, in a registry of their own; `deputize_` is the first word of each."""

    def __init__(self) -> None:
        self.registry = every = CollectorRegistry()
        self._runs = Counter(
            "deputize_runs_ended", "Runs that ended, by how they ended.", ["status", "mode"], registry=every
        )
        self._calls = Counter(
            "deputize_tool_calls", "Tool calls with their outcome.", ["tool", "outcome"], registry=every
        )
        self._model = Histogram(
            "deputize_model_seconds", "How long a model's answer took.", ["provider"], buckets=SECONDS, registry=every
        )
        self._tokens = Counter("deputize_tokens", "Tokens used.", ["provider", "direction"], registry=every)
        self._cost = Counter("deputize_cost_micro_usd", "Micro-dollars spent.", ["provider"], registry=every)
        self.unfinished = Gauge("deputize_runs_unfinished", "Runs that are not over.", ["status"], registry=every)
        self.approvals = Gauge("deputize_approvals_pending", "Cards that wait for a decision.", registry=every)
        self.outbox = Gauge(
            "deputize_outbox", "Effects and events that are not done.", ["kind", "status"], registry=every
        )
        self.audit_failures = Gauge(
            "deputize_audit_failures", "Entries that best-effort audit has lost in this process.", registry=every
        )
        self.driven = Gauge("deputize_runs_driven", "Runs that this process drives.", registry=every)

    def run_ended(self, status: str, mode: str) -> None:
        """A run has come to its end."""
        self._runs.labels(status, mode).inc()

    def called(self, tool: str, outcome: str) -> None:
        """A call has its result; `tool` is a declared name or `unknown`."""
        self._calls.labels(tool, outcome).inc()

    def answered(self, provider: str, seconds: float) -> None:
        """A model's answer has ended, whatever the reason."""
        self._model.labels(provider).observe(seconds)

    def billed(self, provider: str, usage: Usage, cost_micro: int) -> None:
        """A call to a model was settled."""
        self._tokens.labels(provider, "input").inc(usage.total - usage.output)
        self._tokens.labels(provider, "output").inc(usage.output)
        self._cost.labels(provider).inc(cost_micro)
