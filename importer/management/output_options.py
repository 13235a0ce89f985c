"""The options for the output of the commands that run imports."""

from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction
from typing import Any

import msgspec
from django.core.management.base import CommandError

from importer.management.exit_codes import WRONG_CALL
from importer.package.shapes import Outcome
from importer.package.suggestions import did_you_mean
from importer.package.undo_results import UndoOutcome

TEXT, JSON, JSON_LINES = "text", "json", "jsonl"
# What a diff leaves out: nothing happens to unchanged objects, and the causes of
# failures are printed below.
_NOT_IN_DIFF = (Outcome.UNCHANGED, Outcome.FAILED)


Outcomes = type[Outcome] | type[UndoOutcome]


class OutputOptions(msgspec.Struct, frozen=True):
    """The form of a command's output, and the outcomes whose entries it lists."""

    form: str
    quiet: bool
    listed: tuple[str, ...]


def add_output_arguments(parser: ArgumentParser, outcomes: Outcomes) -> None:
    """Add the arguments for the output of a run with these outcomes."""
    parser.add_argument(
        "--diff",
        action=BooleanOptionalAction,
        help="list each change with its values; the default for a dry run on a terminal",
    )
    parser.add_argument(
        "--show",
        metavar="OUTCOMES",
        help="list exactly the entries with these outcomes, separated by commas: "
        + ", ".join(_word(outcome) for outcome in outcomes),
    )
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")
    parser.add_argument(
        "--format",
        choices=(TEXT, JSON, JSON_LINES),
        default=TEXT,
        help="the format of the output: text; json, the report; jsonl, a line of JSON for "
        "each entry and a last one for the run",
    )


def output_options(
    options: dict[str, Any], outcomes: Outcomes, *, on_terminal: bool
) -> OutputOptions:
    """Return the options for the output; refuse what doesn't go together."""
    form, quiet, diff = options["format"], options["quiet"], options["diff"]
    show = options["show"]
    _refuse_contradictions(form, diff=diff, quiet=quiet, show=show)
    if show is not None:
        listed = _shown(show, outcomes)
    elif form != TEXT:
        listed = tuple(one.value for one in outcomes)
    elif diff or (diff is None and options["dry_run"] and on_terminal and not quiet):
        listed = tuple(one.value for one in outcomes if one not in _NOT_IN_DIFF)
    else:
        listed = ()
    return OutputOptions(form, quiet, listed)


def _refuse_contradictions(
    form: str, *, diff: bool | None, quiet: bool, show: str | None
) -> None:
    if quiet:
        given = [
            name
            for name, is_given in (
                ("--diff", diff),
                ("--show", show is not None),
                (f"--format {form}", form != TEXT),
            )
            if is_given
        ]
        if given:
            raise wrong_call(f"--quiet prints only errors; leave out {given[0]}.")
    if diff and form != TEXT:
        raise wrong_call(
            f"--format {form} contains the changes already; leave out --diff."
        )
    if diff is False and show is not None:
        raise wrong_call("--show lists entries; leave out --no-diff.")


def _shown(show: str, outcomes: Outcomes) -> tuple[str, ...]:
    """Return the outcomes in a list of words, in any case."""
    known = {_word(outcome).casefold(): outcome for outcome in outcomes}
    found = []
    for word in map(str.strip, show.split(",")):
        outcome = known.get(word.casefold())
        if outcome is None:
            words = [_word(one) for one in outcomes]
            meant = did_you_mean(word, words, sentence=True)
            listed = "" if meant else f" The outcomes are {', '.join(words)}."
            raise wrong_call(f'There is no outcome "{word}".{meant}{listed}')
        found.append(outcome)
    return tuple(dict.fromkeys(found))


def _word(outcome: Any) -> str:
    """Return an outcome as it is written on the command line."""
    text = str(outcome.value)
    return text[0].lower() + text[1:]


def wrong_call(sentence: str) -> CommandError:
    """Return the refusal of a call."""
    return CommandError(sentence, returncode=WRONG_CALL)
