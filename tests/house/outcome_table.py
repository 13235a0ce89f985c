"""Write ``docs/outcomes.md`` from the importer's decision function, for readers who do
not read code; run as ``python -m tests.house.outcome_table`` it rewrites the page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from importer.package.hashing import MISSING_HASH
from importer.package.shapes import Outcome
from importer.package.step_policies import (
    OnChange,
    OnDeleted,
    OnMissing,
    OnUserModified,
    Policy,
)
from importer.pipeline.decide import Decision, decide, decide_missing
from importer.pipeline.values import ExistingRow

PAGE = Path(__file__).resolve().parents[2] / "docs" / "outcomes.md"
ANY = "any"

# What a decision can depend on, in the order in which the table asks for it.
QUESTIONS: dict[str, tuple[str, ...]] = {
    "Row found": ("none", "by match", "by mark"),
    "Deleted": ("no", "by a user", "as missing"),
    "onDeleted": tuple(OnDeleted),
    "Object changed": ("no", "yes"),
    "User changed the row": ("no", "yes"),
    "onUserModified": tuple(OnUserModified),
    "onChange": tuple(OnChange),
}

MEANINGS = {
    Outcome.INSERTED: "The object is new here: a row was created for it.",
    Outcome.UNCHANGED: "The object is the same as when a run last wrote its row. Nothing "
    "was written, even if a user has edited the row since then.",
    Outcome.UPDATED: "The object has changed, and its row was given the new values. If "
    "no value differs, for example because `1.5` became `1.50`, only the row's "
    "[mark](glossary.md#importing) was updated, without a change event or a new version. "
    "An execution of a data processor is also `Updated` if its step has "
    '`"execute": "always"`.',
    Outcome.ADOPTED: "The row existed before the package and was found by the step's "
    "`match` properties. It belongs to the object from now on. With "
    '`"onChange": "update"` it also got the object\'s values, with `"skip"` it kept its '
    "own.",
    Outcome.RESTORED: "A user had deleted the row, and the step has "
    '`"onDeleted": "restore"`: the row is back. With `"onChange": "update"` it also got '
    'the object\'s values, with `"skip"` it came back as it was. A row that a run had '
    "deleted as missing is always restored with the object's values.",
    Outcome.SKIPPED_USER_MODIFIED: "The object has changed, but a user has edited the "
    "row since its import. The user's version was kept. With "
    '`"onUserModified": "merge"`, the package had changed nothing that the run could '
    "write.",
    Outcome.SKIPPED_DRIFT: "The object has changed, but the step has "
    '`"onChange": "skip"`. The row was kept as it is.',
    Outcome.SKIPPED_DELETED: "A user has deleted the row. It was left deleted, whether "
    "or not the object has changed.",
    Outcome.FAILED: "The object was refused: it contains an error, something it refers to "
    "is missing, the user of the run has no right to write it, or a rule of the catalog "
    "forbids it. The message has the reason. Nothing was written for it.",
    Outcome.MISSING: "The file no longer has the object. Its row was kept; if the step "
    'has `"onMissing": "delete"`, the message has the reason.',
    Outcome.DELETED: "The file no longer has the object, and the step has "
    '`"onMissing": "delete"`: the row was deleted, as a user would delete it.',
}

_INTRODUCTION = """\
# Outcomes

Every object that a run reaches has exactly one of nine outcomes, from `Inserted` to
`Failed`, and the report counts each of them. If a step has `onMissing`, the report also
lists and counts rows whose objects the file no longer has: `Missing` and `Deleted`. A dry
run shows the outcome that a real run with `--continue-on-error` would give.

## What each outcome means

"""

_TABLE_INTRODUCTION = """
## How the outcome is decided

An object is looked up by its [mark](glossary.md#importing), which is the package's name and
the object's `$id` on the row. If no row has the mark, the step's `match` may find a row that
has no mark (or, with `takeOver`, one of another package) and isn't deleted. The row found and
the step's three [policies](package-format.md#steps) `onDeleted`, `onUserModified` and
`onChange` determine the outcome; *any* means that the value makes no difference. A row is
deleted *as missing* if a run deleted it because the file no longer had its object, and nobody
has changed it since then.

"""

_MISSING_INTRODUCTION = """
## Rows whose objects are missing

After the last step, a run looks for rows that have a mark of the package, aren't deleted,
and whose object the file no longer has.

"""

_MISSING_END = """
With `delete`, a row is kept as `Missing`, too, if another row that isn't deleted refers to
it, if the run has errors, if more rows would be deleted than `maxDelete` allows, or if the
services refuse the deletion. [The package format](package-format.md#missing-objects)
explains this.
"""

_END = """
`Failed` isn't in the table: it replaces any other outcome when the object is refused. For
outcomes with "nothing" in the last column, the run doesn't look up the references of the
object. Such an object can fail only if it breaks the format itself. If one of its `$code`
references no longer finds a row, the report has a warning.

For a row that a user changed, `differences` in the report shows its values beside those of
the object: `{property: [stored value, value in the package]}`. It is empty if the user
entered exactly what the package says. The outcome is then `SkippedUserModified` once, and
`Unchanged` from the next run on. The row still counts as changed by a user, so later
changes in the package don't overwrite it.

With `"onUserModified": "merge"`, the run judges each property that differs by the value that
a run wrote last. It writes what only the package has changed, and keeps what only a user has
changed. If both changed a property to different values, the row keeps its value, and
`conflicts` has `{property: [last imported value, stored value, value in the package]}`. The
outcome is `Updated` if something was written, otherwise `SkippedUserModified`; in both cases
the row still counts as changed by a user. Without conflicts the outcome of the next run is
`Unchanged`. With conflicts the mark keeps its old hash, so that every run reports them until
the row or the package is changed.

A run posts only documents that it writes. If a step has `"submit": true` and some of its
documents stay unposted, because `submit` was added later, a row was adopted with
`"onChange": "skip"`, or a user unposted them, a warning at the step shows how many.

"Object changed" compares the stored hash with the hash of the object as it is written
in the package now. "User changed the row" compares the time of the row's last change with
the time of its last import.

## Where in the code

The whole table is in `importer/pipeline/decide.py`. `python -m tests.house.outcome_table`
generates this page from it, and `tests/house/test_docs_outcomes.py` fails if the two
differ.
"""


def decision_for(answers: dict[str, str]) -> Decision:
    """Put one full set of answers to the decision function."""
    policy = Policy(
        on_change=OnChange(answers["onChange"]),
        on_user_modified=OnUserModified(answers["onUserModified"]),
        on_deleted=OnDeleted(answers["onDeleted"]),
    )
    found = answers["Row found"]
    if found == "none":
        return decide(None, "new", policy)
    if found == "by match":
        return decide(ExistingRow(1, marked=False), "new", policy)
    seen = ExistingRow(
        1,
        source_hash="old" if answers["Object changed"] == "yes" else "new",
        deleted=answers["Deleted"] != "no",
        user_modified=answers["User changed the row"] == "yes",
    )
    if answers["Deleted"] == "as missing":
        seen = replace(seen, source_hash=MISSING_HASH, user_modified=False)
    return decide(seen, "new", policy)


def missing_lines() -> Iterator[list[str]]:
    """Yield the policy, the row and the outcome of each kind of missing row."""
    rows = {
        "as the run wrote it": ExistingRow(1),
        "changed by a user": ExistingRow(1, user_modified=True),
        "posted": ExistingRow(1, submitted=True),
    }
    yield [OnMissing.KEEP, ANY, "not mentioned"]
    yield [OnMissing.REPORT, ANY, f"`{Outcome.MISSING}`"]
    for name, row in rows.items():
        outcome = decide_missing(row, OnMissing.DELETE)
        yield [OnMissing.DELETE, name, f"`{outcome}`"]


def combinations(fixed: dict[str, str]) -> Iterator[dict[str, str]]:
    """Yield every full set of answers that agrees with the fixed ones."""
    open_questions = [name for name in QUESTIONS if name not in fixed]
    for chosen in product(*(QUESTIONS[name] for name in open_questions)):
        yield fixed | dict(zip(open_questions, chosen, strict=True))


def lines(fixed: dict[str, str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the fewest answers that tell all decisions apart, with the decision."""
    fixed = fixed or {}
    decisions = {decision_for(answers) for answers in combinations(fixed)}
    if len(decisions) == 1:
        yield {**dict.fromkeys(QUESTIONS, ANY), **fixed, "decision": decisions.pop()}
        return
    asked = next(name for name in QUESTIONS if name not in fixed)
    if any(_matters(asked, answers) for answers in combinations(fixed)):
        for answer in QUESTIONS[asked]:
            yield from lines(fixed | {asked: answer})
        return
    for line in lines(fixed | {asked: QUESTIONS[asked][0]}):
        yield line | {asked: ANY}


def _matters(question: str, answers: dict[str, str]) -> bool:
    others = [answers | {question: answer} for answer in QUESTIONS[question]]
    return len({decision_for(one) for one in others}) > 1


def render() -> str:
    """Return the whole page."""
    meanings = [f"| `{name}` | {MEANINGS[name]} |" for name in Outcome]
    rows = [
        [*(line[name] for name in QUESTIONS), *_shown(line["decision"])]
        for line in lines()
    ]
    return "\n".join(
        [
            _INTRODUCTION + _heading(["Outcome", "Meaning"]),
            *meanings,
            _TABLE_INTRODUCTION + _heading([*QUESTIONS, "Outcome", "Written"]),
            *(f"| {' | '.join(row)} |" for row in rows),
            _MISSING_INTRODUCTION + _heading(["onMissing", "Row", "Outcome"]),
            *(f"| {' | '.join(row)} |" for row in missing_lines()),
            _MISSING_END + _END,
        ]
    )


def _heading(names: list[str]) -> str:
    return f"| {' | '.join(names)} |\n|{'---|' * len(names)}"


def _shown(decision: Decision) -> tuple[str, str]:
    return f"`{decision.outcome}`", decision.action.value


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
