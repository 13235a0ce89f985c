"""The alert rules of the documentation name only metrics and labels that are exposed."""

from __future__ import annotations

import re

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from platform_site.accounts.models import User
from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.site.host.byte_budget import ByteBudget
from platform_site.site.host.metrics_endpoint import ServerFigures
from platform_site.site.metrics.responses import SECONDS
from tests.markdown import sections
from tests.site.metrics.test_figures import (
    answered,
    metrics,
    samples,
    test_a_job_has_the_times_of_its_last_success_and_failure as with_a_job,
)

pytestmark = pytest.mark.django_db
__all__ = ["metrics"]
FOLDER = APPLICATION_FOLDER / "docs" / "examples" / "prometheus"
PAGE = APPLICATION_FOLDER / "docs" / "monitoring.md"
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


def test_the_page_says_what_to_do_about_each_alert():
    text = PAGE.read_text("utf-8")
    told = re.findall(r"^### (Platform\w+)\n\n(Critical|Warning)\. ", text, re.M)
    assert dict(told) == {
        rule["alert"]: rule["labels"]["severity"].capitalize() for rule in RULES
    }
    for rule in RULES:
        page, _, section = rule["annotations"]["runbook"].partition("#")
        assert APPLICATION_FOLDER / page == PAGE
        assert section == rule["alert"].lower()
        assert section in sections(PAGE)


RATIO = re.compile(r"(\w+)(?:\{(.*?)\})?\s*/ (\w+)(?:\{(.*?)\})? > ([\d.]+)$")


def fires(alert, found):
    """Return for which labels a rule of the form `used / allowed > limit` fires."""
    [rule] = [rule for rule in RULES if rule["alert"] == alert]
    above, above_labels, below, below_labels, limit = RATIO.match(rule["expr"]).groups()
    assert above_labels == below_labels
    wanted = set(re.findall(r'(\w+)="(\w+)"', above_labels or ""))
    return [
        labels
        for (name, *labels), value in found.items()
        if name == above
        and wanted <= set(labels)
        and (most := found.get((below, *labels))) is not None
        and value / most > float(limit)
    ]


def test_accounts_that_are_all_used_wake_nobody(metrics, licensed):
    """The demo company has as many people as the Free licence allows."""
    User.objects.create(username="somebody")
    people = User.objects.filter(is_service=False).count()
    licensed(users=people, documentsPerMonth=100)
    found = samples(metrics)
    users, documents = ("limit", "users"), ("limit", "documents_per_month")
    assert found["platform_licence_used", users] == people
    assert fires("PlatformLicenceUsedUp", found) == []
    found["platform_licence_used", documents] = 90
    assert fires("PlatformLicenceUsedUp", found) == []
    found["platform_licence_used", documents] = 91
    assert fires("PlatformLicenceUsedUp", found) == [[documents]]


def test_a_new_installation_has_a_night_for_its_first_backup():
    of = {rule["alert"]: rule for rule in RULES}
    assert "newest_timestamp_seconds > 0)" in of["PlatformBackupTooOld"]["expr"]
    missing = of["PlatformBackupMissing"]
    assert missing["expr"] == "platform_backup_newest_timestamp_seconds == 0"
    assert int(missing["for"].removesuffix("h")) > 25


def test_the_limit_of_slowness_is_between_buckets():
    """A quantile can't be told within the last bucket."""
    assert any(limit > 2 for limit in SECONDS)


def test_the_page_explains_every_metric(exposed):
    page = PAGE.read_text("utf-8")
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
