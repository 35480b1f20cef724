"""RUN-10, RUN-13: the states of a conversation, and what the page may say about its screen."""

import dataclasses

from deputize.core.conversation import ConversationStatus, EntityRef, Screen


def test_run_10_a_conversation_is_active_ended_or_purged() -> None:
    assert [status.value for status in ConversationStatus] == ["active", "archived", "expired"]


def test_run_13_the_page_names_records_and_nothing_else_about_them() -> None:
    assert [field.name for field in dataclasses.fields(EntityRef)] == ["kind", "id"]
    assert Screen() == Screen(screen="", entities=())
