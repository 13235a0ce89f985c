"""What a rule of the matrix says, and how the one rule of a thing is found."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from django.urls import get_resolver

# Ways to be let in, besides a right such as `{app}.view_{model}`.
ANYBODY, SIGNED_IN, STAFF, ADMINISTRATOR = "anybody", "signed in", "staff", "admin"
NOBODY = "nobody"


@dataclass(frozen=True)
class Rule:
    """Who is let in to the things a pattern matches, and what they are answered.

    ``needs`` names ways in or rights, of which one is enough where it says `a or b`;
    ``body`` is what is sent, ``{...}`` stands for the groups of the pattern.
    """

    pattern: str
    says: str
    needs: str
    answer: int
    body: Any = None
    # What else is needed: a second right, or several.
    also: tuple[str, ...] = ()
    # What those are answered who are known, but not let in.
    refused: int = 403
    # What those are answered who are not known; 0 leaves it to the authentication.
    unknown: int = 0

    def match(self, thing):
        """Return the match of a thing, None if the rule is not about it."""
        return re.fullmatch(self.pattern, thing)

    def admits(self, who, groups, *, known):
        """Return whether somebody is allowed, once it is known who they are."""
        return all(
            any(_has(who, each.format(**groups), known) for each in need.split(" or "))
            for need in (self.needs, *self.also)
        )


def _has(who, need, known):
    if need == ANYBODY:
        return True
    if not known:
        return False
    ways = {
        NOBODY: False,
        SIGNED_IN: True,
        STAFF: who.staff,
        ADMINISTRATOR: who.administrator,
    }
    return ways[need] if need in ways else who.has(need)


def rule_of(rules, thing):
    """Return the one rule of a thing with its groups; it is an error to have another."""
    found = [(rule, match) for rule in rules if (match := rule.match(thing))]
    assert len(found) == 1, (
        f"{thing} needs exactly one rule in tests/authorization, and has "
        f"{[rule.pattern for rule, _ in found]}."
    )
    rule, match = found[0]
    return rule, {k: v for k, v in match.groupdict().items() if v is not None}


def unused(rules, things):
    """Return the patterns of the rules that match nothing."""
    return [r.pattern for r in rules if not any(r.match(thing) for thing in things)]


def routes(under="", *, but=None):
    """Return every path of the site map under one, which is a path itself, relative to
    it, as it is written."""

    def walk(patterns, before=""):
        for pattern in patterns:
            path = f"{before}{pattern.pattern}"
            if hasattr(pattern, "url_patterns"):
                yield from walk(pattern.url_patterns, path)
            elif f"{path}/".startswith(under) and not (
                but and f"{path}/".startswith(but)
            ):
                yield f"{path}/".removeprefix(under).removesuffix("/")

    return sorted(set(walk(get_resolver().url_patterns)))
