"""The alert rules of the documentation name only metrics and labels that are exposed."""

from __future__ import annotations

import re

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.site.host.byte_budget import ByteBudget
from platform_site.site.host.metrics_endpoint import ServerFigures
from platform_site.site.metrics.responses import SECONDS
from tests.site.metrics.test_figures import (
    answered,
    metrics,
    test_a_job_has_the_times_of_its_last_success_and_failure as with_a_job,
)

pytestmark = pytest.mark.django_db
__all__ = ["metrics"]
FOLDER = APPLICATION_FOLDER / "docs" / "examples" / "prometheus"
RULES = yaml.safe_load((FOLDER / "alerts.yml").read_text("utf-8"))["groups"][0]["rules"]
NAME = re.compile(r"\b((?:platform|process)_\w+)(?:\{([^}]*)\})?")
LABELS = re.compile(r"\b(?:by|on|ignoring) \(([^)]*)\)")
# What Prometheus itself adds.
OWN = {"instance", "job", "alertname"}


@pytest.fixture
def exposed(metrics, licensed):
    """Return the labels of every metric of an installation that has all of them."""
    answered("/", route="/")
    licensed(users=10)
    with_a_job(metrics)
    budgets = {"disk": ByteBudget(100)}
    metrics.watch(lambda: ServerFigures(8, 1, 0, 3, budgets))
    text, _kind = metrics.render("")
    return {
        sample.name: set(sample.labels)
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def test_every_metric_of_an_alert_is_exposed_with_its_labels(exposed):
    assert len(RULES) > 10
    for rule in RULES:
        named = NAME.findall(rule["expr"])
        assert named or rule["alert"] == "PlatformDown"
        allowed = set(OWN)
        for name, matchers in named:
            assert name in exposed, rule["alert"]
            wanted = set(re.findall(r"(\w+)\s*[=!]", matchers))
            assert wanted <= exposed[name], rule["alert"]
            allowed |= exposed[name]
        for group in LABELS.findall(rule["expr"]):
            assert set(re.findall(r"\w+", group)) <= allowed, rule["alert"]
        for label in re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"]):
            assert label in allowed, rule["alert"]


def test_every_expression_is_whole():
    for rule in RULES:
        text = rule["expr"]
        assert all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert rule["annotations"]["summary"].endswith(".")


def test_the_limit_of_slowness_is_between_buckets():
    """A quantile can't be told within the last bucket."""
    assert any(limit > 2 for limit in SECONDS)


def test_the_page_explains_every_metric(exposed):
    page = (APPLICATION_FOLDER / "docs" / "monitoring.md").read_text("utf-8")
    ours = {
        re.sub(r"_(bucket|sum|count)$", "", name)
        for name in exposed
        if name.startswith("platform_")
    }
    assert {name for name in ours if f"`{name}" not in page} == set()


def test_the_example_of_a_watcher_uses_these_rules():
    watcher = yaml.safe_load((FOLDER / "prometheus.yml").read_text("utf-8"))
    assert watcher["rule_files"] == ["alerts.yml"]
    assert watcher["scrape_configs"][0]["job_name"] == "platform"
