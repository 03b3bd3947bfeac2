"""The prompt templates are filled in plainly."""

from __future__ import annotations

from tiny_policy.prompts import MemoryExample, design_messages, fill, hint_messages, play_messages


def test_inserted_text_is_not_filled_in_again() -> None:
    assert fill("{{a}} {{b}}", {"a": "{{b}}", "b": "x"}) == "{{b}} x"


def test_a_design_request_shows_skill_level_document_and_memory() -> None:
    example = MemoryExample("TideSumEnv", 3, 40, "frontier")
    text = design_messages("Optimization", 4, "a document", (example,))[-1].content
    assert text == "Optimization level 4\nTideSumEnv level 3 won 40 frontier\na document"


def test_a_request_without_memory_says_so() -> None:
    assert "\nnone\n" in design_messages("Optimization", 4, "a document")[-1].content


def test_only_the_hinted_opening_holds_the_hint() -> None:
    plain, hinted = play_messages("add: 3 4", None), play_messages("add: 3 4", "keep a total")
    assert plain[-1].content == "add: 3 4"
    assert "keep a total" in hinted[-1].content
    assert "add: 3 4" in hinted[-1].content


def test_each_role_has_its_own_system_prompt() -> None:
    systems = {
        messages[0].content for messages in (design_messages("a", 1, "b"), hint_messages("c"), play_messages("d", None))
    }
    assert len(systems) == 3
