"""The rows that an export has: catalogs and documents by name, narrowed by filters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgspec
from django.db import models
from django.utils.translation import gettext as _

from importer import registry
from importer.package.shapes import Problem, Refusal
from importer.package.step_schema import MAX_PACKAGE
from importer.package.suggestions import did_you_mean

_UNDERSCORE = re.compile(r"_([a-z])")


class Selection(msgspec.Struct, frozen=True, eq=False):
    """The rows of one target, of which the live ones are exported."""

    target: Any
    rows: models.QuerySet[Any]


def exportable() -> dict[str, Any]:
    """Return the targets whose rows packages can have, by name."""
    kinds = registry.package_format().kinds
    return {
        name: target
        for name, target in registry.targets().items()
        if not kinds[target.spec.kind].executes
    }


def selected(names: Iterable[str], where: Sequence[str] = ()) -> list[Selection]:
    """Return the selections of catalogs and documents, in the order of their steps.

    ``where`` are filters of lists, such as ``priceFrom=10``; with several names each
    begins with one (``Items.priceFrom=10``). Raise Refusal with what is wrong.
    """
    known, wanted = exportable(), list(dict.fromkeys(names))
    problems = [
        Problem("dictionary", _unknown(name, known), "not-a-choice", name)
        for name in wanted
        if name not in known
    ]
    if not wanted:
        sentence = _("Name at least one catalog or kind of document.")
        problems.append(Problem("dictionary", sentence, "required"))
    if problems:
        raise Refusal(problems)
    queries = _queries(wanted, where)
    return in_order(
        [Selection(known[n], known[n].filtered(queries.get(n, {}))) for n in wanted]
    )


def package_name(names: Sequence[str], where: Sequence[str] = ()) -> str:
    """Return the name of the package with a selection.

    Another selection is another package, since its objects refer to each other in
    other ways.
    """
    order = [*exportable()]
    named = ",".join(sorted(set(names), key=order.index))
    name = f"export:{named}" + (f"?{'&'.join(where)}" if where else "")
    if len(name) <= MAX_PACKAGE:
        return name
    return f"export:{sha256(name.encode()).hexdigest()[:16]}"


def in_order(selections: Sequence[Selection]) -> list[Selection]:
    """Return selections so that each comes after those that its rows refer to."""
    order = [*exportable()]
    left = sorted(selections, key=lambda each: order.index(each.target.name))
    found: list[Selection] = []
    while left:
        waiting = {each.target.name for each in left}
        # Targets that refer to each other stay in the order of their registration.
        first = next((s for s in left if not _named(s.target) & waiting), left[0])
        left.remove(first)
        found.append(first)
    return found


def _named(target: Any) -> set[str]:
    """Return the names of the other targets to which rows of one may refer."""
    fields = [f for field in target.spec.fields for f in (field, *field.lines)]
    return {field.to for field in fields if field.to} - {target.name}


def _unknown(name: str, known: Mapping[str, Any]) -> str:
    sentence = _('No package can have rows of "%(name)s".') % {"name": name}
    return sentence + did_you_mean(name, known, sentence=True)


def _queries(names: Sequence[str], where: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the filters of each target; raise Refusal for what isn't one."""
    queries: dict[str, dict[str, str]] = {}
    for text in where:
        left, given, value = text.partition("=")
        prefix, dot, name = left.partition(".")
        if not dot or (len(names) == 1 and prefix not in exportable()):
            # A dot may also be in a filter: counterparty.code.
            prefix, name = "", left
        target = prefix or names[0]
        if not given or not name:
            sentence = _("A filter has the form property=value, not %(text)s.")
            raise Refusal([Problem("where", sentence % {"text": text})])
        if target not in names or not (prefix or len(names) == 1):
            sentence = _(
                "Say to which of %(names)s the filter %(text)s applies: "
                "%(name)s.%(text)s."
            )
            words = {"names": ", ".join(names), "text": text, "name": names[0]}
            raise Refusal([Problem("where", sentence % words)])
        wire = _UNDERSCORE.sub(lambda found: found[1].upper(), name)
        if wire in queries.setdefault(target, {}):
            sentence = _("The filter %(name)s is given twice; give it once.")
            raise Refusal([Problem("where", sentence % {"name": wire})])
        queries[target][wire] = value
    return queries
