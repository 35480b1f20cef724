"""What an AG-UI client may send, as far as it is looked at.

A client sends its whole state with every request: history, run ids, tools and state of its own. None of it is
believed, so none of it is validated: only the thread's name, the newest message and the answers to interrupts are.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from deputize.core.conversation import Screen
from deputize.core.errors import Invalid
from deputize.surfaces.web.schemas import ContextIn, DecideIn

MAX_TEXT = 4_000


class Part(BaseModel):
    """Base of what is picked out of a larger document; the rest is passed over."""

    model_config = ConfigDict(extra="ignore", alias_generator=to_camel, populate_by_name=True)


class ResumeIn(Part):
    """An answer to one interrupt: the payload of a decision, or that the run is no longer wanted."""

    interrupt_id: str = Field(min_length=1, max_length=64)
    status: Literal["resolved", "cancelled"]
    payload: Any = None

    def decision(self) -> DecideIn | None:
        """The payload as a decision, None where the run is no longer wanted. Raises Invalid, naming field and rule."""
        if self.status == "cancelled":
            return None
        try:
            return DecideIn.model_validate(self.payload)
        except ValidationError as error:
            faults = [
                {"field": ".".join(["payload", *(str(part) for part in one["loc"])]), "rule": one["type"]}
                for one in error.errors()[:10]
            ]
            raise Invalid("The payload of an answer is a decision.", faults=faults) from None


class RunIn(Part):
    """A request of the protocol; `forwardedProps.context` is the page's context, as with a message."""

    thread_id: str = Field(min_length=1, max_length=200)
    messages: list[Any] = Field(max_length=10_000)
    resume: list[ResumeIn] | None = Field(default=None, max_length=20)
    forwarded_props: Any = None

    def shown(self) -> Screen | None:
        """The page's context where the client sends one. Raises Invalid."""
        given = self.forwarded_props.get("context") if isinstance(self.forwarded_props, dict) else None
        if given is None:
            return None
        try:
            return ContextIn.model_validate(given).screen_of()
        except ValidationError:
            raise Invalid("The context is {screen, entities}.", field="forwardedProps.context") from None

    def said(self) -> tuple[str, str | None]:
        """The newest message's text, and its id. Raises Invalid where it is not a person's, or no text."""
        newest = self.messages[-1]
        if not isinstance(newest, dict) or newest.get("role") != "user":
            raise Invalid("The newest message must be the user's.", field="messages")
        ident = newest.get("id")
        if ident is not None and not (isinstance(ident, str) and 1 <= len(ident) <= 150):
            raise Invalid("A message's id is a text of at most 150 characters.", field="messages.id")
        text = _text(newest.get("content"))
        if not 1 <= len(text) <= MAX_TEXT:
            raise Invalid(f"A message has 1 to {MAX_TEXT} characters.", field="messages.content", maximum=MAX_TEXT)
        return text, ident


def _text(content: Any) -> str:
    """A message's content: a text, or parts of which each is one."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise Invalid("A message's content is text.", field="messages.content")
    texts = []
    for part in content:
        text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
        if not isinstance(text, str):
            raise Invalid("Only text can be sent.", field="messages.content")
        texts.append(text)
    return "\n".join(texts)
