"""Reflections: whether the answer is to be changed, and into what."""

import pytest

from fourfold.experiments.llm.parsing.judgements import read_reflection


@pytest.mark.parametrize(
    ("reply", "change", "answer"),
    [
        ("Step 1: holds\nVerdict: solvable\nChange: none needed", False, ""),
        ("Step 1: holds\n**Change:** none needed\nNew answer:\nN/A", False, ""),
        ("Change: needed\nNew answer:\nStep 1: Use the comb.", True, "Step 1: Use the comb."),
        ("Change: needed\nStep 1: Use the comb.", True, "Step 1: Use the comb."),
        ("Change: not only needed but urgent\nNew answer: Use the comb.", True, "Use the comb."),
        ("Conclusion 2: No modification needed", False, ""),
        ("Conclusion 2: (If still solvable) Modification needed.\n\nModified solution: Comb.", True, "Comb."),
        ("Conclusion 2: Modification is not necessary.", False, ""),
        ("Change: no\n", False, ""),
        ("Modification: yes\n**Revised Solution:**\n1. Comb.", True, "1. Comb."),
        ("All holds.", False, ""),
        ("Improved answer: Step 1: Comb.", True, "Step 1: Comb."),
        ("Modified solution: None needed", False, ""),
        ("<think>New answer: no</think>All holds.", False, ""),
        ("Here is the revised solution:\nStep 1: Comb.", True, "Step 1: Comb."),
        ("New Answer\n----------\n- comb\n- pull", True, "- comb\n- pull"),
        ("Change: nothing needs to change", False, ""),
        ("Change: unnecessary", False, ""),
        ("Change: isn’t needed", False, ""),
        ("Change: needed, step 2 is not necessary\nNew answer:\nComb.", True, "Comb."),
        ("Change: not all steps hold\nNew answer:\nComb.", True, "Comb."),
        ("", False, ""),
    ],
)
def test_whether_a_reflection_changes_the_answer(reply, change, answer):
    found = read_reflection(reply)
    assert (found.needs_change, found.answer) == (change, answer)


NONE = [
    "no needed", "No need", "no need to change", "not need", "none", "None.", "nope", "N/A", "false",
    "unneeded", "not required", "not necessary", "no changes are required", "nothing",
    "no, all steps hold", "isn't needed", "no modification is needed: it all holds", '"none needed"',
    "I don't think a change is needed", "0", "I see no need for a change", "the answer stands",
    "keep the answer as it is", "same as before", "needn't", "no further changes",
    "doesn't need to be changed", "no necessary", "without any changes", "no improvement",
    "The answer remains the same", "none needed (the comb holds)", "not at all",
]  # fmt: skip
NEEDED = [
    "needed", "yes", '"needed"', "needed: step 2 does not hold", "not all steps hold",
    "step 2 is not possible", "the rope does not hold", "No tool reaches it, so a change is needed",
    "a change is needed, not a new plan", "no longer holds", "needed, but nothing else", "use the comb",
    "not all hold so change it",
    "Needed since the answer is not complete",
]  # fmt: skip


@pytest.mark.parametrize(
    "label", ["Change: ", "**Change:** ", "Modification - ", "Change needed: ", "Changes? "]
)
def test_an_answer_beside_no_change_is_ignored(label):
    for said in NONE:
        for reply in (
            f"Step 1: holds\nVerdict: solvable\n{label}{said}\nNew answer:\nStep 1: Use the mat.",
            f"New answer:\nStep 1: Use the mat.\n\n{label}{said}",
        ):
            found = read_reflection(reply)
            assert (found.needs_change, found.answer) == (False, ""), reply
            assert found.ignored.startswith("Step 1: Use the mat."), reply
        assert read_reflection(f"Step 1: holds\n{label}{said}").ignored == ""
    for said in NEEDED:
        found = read_reflection(f"{label}{said}\nNew answer:\nStep 1: Use the mat.")
        assert (found.needs_change, found.answer, found.ignored) == (True, "Step 1: Use the mat.", ""), said


def test_no_change_without_a_label_and_a_conclusion_on_the_new_answer():
    found = read_reflection("All holds.\nNo change is needed.\nNew answer:\nUse the mat.")
    assert (found.needs_change, found.answer, found.ignored) == (False, "", "Use the mat.")
    again = "Change: needed\nNew answer:\nUse the mat.\nVerdict: solvable\nChange: none needed"
    found = read_reflection(again)
    assert (found.needs_change, found.ignored) == (False, "")
    assert found.answer.startswith("Use the mat.")
