"""The matrix of the API: every operation of its description, and every other method of
its paths, by everybody."""

from __future__ import annotations

import functools
import re

import pytest
from django.apps import apps
from django.test import Client

from platform_site.processing.registry import processors
from platform_site.records.models import Record
from platform_site.settings.apps import added_labels
from tests.authorization.api_rules import OPERATIONS, OPTIONS, STRAY
from tests.authorization.identities import IDENTITIES
from tests.authorization.rules import routes, rule_of, unused

pytestmark = pytest.mark.django_db
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "BREW")
DESCRIPTION = "/swagger/v1/swagger.json"
# Rows that aren't business rows, by the beginnings of their paths.
_OTHERS = {
    "Users": "accounts.user",
    "Roles": "accounts.role",
    "ApiKeys": "accounts.apikey",
    "Jobs": "scheduling.job",
    "JobExecutions": "scheduling.jobexecution",
    "Executions": "a requested execution",
    "Webhooks": "webhooks.webhook",
}


@functools.cache
def described_with_added_apps():
    """Return the methods of each path, as `Items/{id}`, from the description."""
    paths = Client().get(DESCRIPTION).json()["paths"]
    return {
        path.removeprefix("/api/v1").removeprefix("/"): {m.upper() for m in methods}
        & {*METHODS}
        for path, methods in paths.items()
    }


@functools.cache
def described():
    """Return the methods of each path of the product."""
    found = described_with_added_apps()
    others = tuple(f"{name}/" for name in of_added_apps())
    return {p: m for p, m in found.items() if not f"{p}/".startswith(others)}


def of_added_apps():
    """Yield the paths of apps of one's own, for which the product has no rules."""
    for model in apps.get_models():
        if model._meta.app_label in added_labels() and issubclass(model, Record):
            yield model.catalog_name
    for name, processor in processors().items():
        app = apps.get_containing_app_config(processor.__module__)
        if app is not None and app.label in added_labels():
            yield f"Processors/{name}"


def operations():
    return [f"{m} {path}" for path, found in described().items() for m in sorted(found)]


def cell(method, path):
    """Return the rule of a method of a path, with what its pattern found."""
    methods = described()[path]
    if method == "HEAD" and "GET" in methods:
        method = "GET"
    if method in methods:
        return rule_of(OPERATIONS, f"{method} {path}")
    return rule_of(OPTIONS if method == "OPTIONS" else STRAY, path)


def kinds():
    """Return app and model of each name that rows go by."""
    return {
        model.catalog_name: {
            "app": model._meta.app_label,
            "model": model._meta.model_name,
        }
        for model in apps.get_models()
        if issubclass(model, Record)
    }


def expected(rule, groups, who):
    named = groups | kinds().get(groups.get("rows"), {})
    if rule.admits(who, named, known=who.in_api):
        return rule.answer
    return rule.refused if who.in_api else 401


def address(scene, path):
    """Return a path with the keys of rows that are there."""
    rows = path.partition("/")[0]
    kind = kinds().get(rows, {})
    row = scene.rows.get("{app}.{model}".format(**kind) if kind else _OTHERS.get(rows))
    keys = {
        "id": getattr(row, "pk", None),
        "runId": scene.rows["importer.importrun"].pk,
        "name": scene.rows["importer.tablesource"].name,
        "deliveryId": scene.rows["webhooks.delivery"].pk,
    }
    if rows == "Files":
        keys["id"] = scene.rows["files.storedfile"].pk
    named = re.sub(r"{(\w+)}", lambda found: str(keys[found[1]]), path)
    return f"/api/v1/{named}".rstrip("/")


def test_every_operation_has_exactly_one_rule_and_no_rule_is_left_over():
    things = operations()
    assert len(things) > 100
    for thing in things:
        rule_of(OPERATIONS, thing)
    assert unused(OPERATIONS, things) == []
    assert unused(STRAY, described()) == []


def test_the_description_leaves_out_no_path():
    """HOST-150."""
    served = {re.sub(r"<[^>]+>", "{}", path) for path in routes("api/v1/")}
    found = described_with_added_apps()
    assert served == {re.sub(r"{\w+}", "{}", path) for path in found}


def test_the_matrix_has_every_cell_of_at_least_seven_identities():
    assert len(IDENTITIES) >= 7
    cells = [cell(method, path) for path in described() for method in METHODS]
    assert len(cells) == len(described()) * len(METHODS)


@pytest.mark.once
@pytest.mark.parametrize("name", IDENTITIES)
def test_everybody_is_answered_as_the_rules_say(scene, name):
    """HOST-095, HOST-133, HOST-147, HOST-150."""
    who, wrong = IDENTITIES[name], {}
    for path in described():
        for method in METHODS:
            rule, groups = cell(method, path)
            answer, left = scene.call(name, method, address(scene, path), rule.body)
            wanted = expected(rule, groups, who)
            refused = answer.status_code >= 400
            if answer.status_code != wanted or (refused and left):
                wrong[method, path] = (wanted, answer.status_code, left)
            if wanted == 401:
                assert answer.has_header("WWW-Authenticate")
    assert wrong == {}
