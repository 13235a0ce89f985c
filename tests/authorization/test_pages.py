"""The matrix of the pages: every path of the site map beside the API, by every method
and everybody; and no page names a row to those who may not see its kind."""

from __future__ import annotations

import re

import pytest

from platform_site.settings.apps import added_labels
from tests.authorization.identities import IDENTITIES
from tests.authorization.page_rules import RULES, SIGNED
from tests.authorization.rules import routes, rule_of, unused
from tests.authorization.scene import SECRETS

# Who may open a page is decided before the database is asked for its rows.
pytestmark = [pytest.mark.django_db, pytest.mark.once]
# A browser sends these; the others are tried by those who may most and least.
BY_ALL = ("GET", "POST")
METHODS = (*BY_ALL, "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "BREW")
FEW = ("nobody", "somebody without a role", "a clerk", "a superuser")
SIGN_IN = "/admin/login/?next="
_PLACES = {
    "<path:content_type_id>": "1",
    "<str:kind>": "csv",
    "<int:pk>": "987654",
    "(?P<name>[^/]+)": "RecalculateCosts",
    "(?P<url>.*)": "nothing-here",
    "<slug:code>": "invalid",
    "/?$": "",
    "\\.": ".",
    "(?P<kind>json|csv)": "json",
    "^": "",
    "$": "",
}


def pages():
    # For those of an app of one's own the product has no rules.
    others = tuple(f"admin/{label}/" for label in added_labels())
    return [one for one in routes(but="api/v1/") if not one.startswith(others)]


def things():
    return [f"{method} {route}" for route in pages() for method in METHODS]


def address(scene, route):
    """Return the path of a page, of rows that are there."""
    parts = route.split("/")
    key = ".".join(parts[1:3])
    row = scene.rows.get(key)
    path = re.sub(
        r"<(path:object_id|int:object_id|id)>", str(getattr(row, "pk", 987654)), route
    )
    path = re.sub(r"\(\?P<app_label>[^)]*\)", "catalogs", path)
    for place, value in _PLACES.items():
        path = path.replace(place, value)
    run = "?run=" + str(scene.rows["importer.importrun"].pk)
    return f"/{path}{run if 'report' in route else ''}"


def expected(rule, groups, who):
    known = who.on_pages and (who.staff or rule in SIGNED)
    if rule.admits(who, groups, known=known):
        return rule.answer
    return rule.refused if known else rule.unknown or SIGN_IN


def told(answer):
    led = answer.status_code == 302 and answer["Location"].startswith(SIGN_IN)
    return SIGN_IN if led else answer.status_code


def betrayed(answer, who):
    """Return the kinds of rows that an answer names to those who may not see them."""
    if who.has("changes.view_changeevent"):
        return []  # the history of everything, which only administrators have by default
    text = b"" if answer.streaming else answer.content
    return [
        right
        for right, secret in SECRETS.items()
        if secret.encode() in text
        and not any(who.has(r) for r in (right, right.replace(".view_", ".change_")))
    ]


def test_every_method_of_every_page_has_exactly_one_rule():
    wanted = things()
    assert len(wanted) > 1000
    for thing in wanted:
        rule_of(RULES, thing)
    assert unused(RULES, wanted) == []


@pytest.mark.parametrize("name", IDENTITIES)
def test_everybody_finds_the_pages_that_are_theirs(scene, name):
    who, wrong = IDENTITIES[name], {}
    for route in pages():
        for method in METHODS if name in FEW else BY_ALL:
            rule, groups = rule_of(RULES, f"{method} {route}")
            form = (rule.body or {}) if method == "POST" else None
            answer, left = scene.visit(name, method, address(scene, route), form)
            wanted = expected(rule, groups, who)
            refused = answer.status_code in (403, 404, 405) or told(answer) == SIGN_IN
            names = betrayed(answer, who)
            if told(answer) != wanted or (refused and left) or names:
                wrong[method, route] = (wanted, told(answer), left, names)
    assert not wrong, "\n".join(f"{cell}: {seen}" for cell, seen in wrong.items())
