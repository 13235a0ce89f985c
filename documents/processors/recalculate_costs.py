"""The data processor that recalculates the costs of issues;
`documents.posting.recosting` does the work."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.contrib.auth import get_permission_codename
from django.utils.translation import gettext as _, gettext_lazy
from rest_framework.exceptions import ValidationError

from documents.local_days import start_of, today
from documents.models import GoodsIssue
from documents.posting.recosting import Period, recalculate_costs
from importer.targets import authorise
from platform_site.processing.processor import DataProcessor
from platform_site.processing.registry import register
from platform_site.processing.values import DateField, IntegerField, Values


def _first_day() -> date:
    return today().replace(month=1, day=1)


def _last_day() -> date:
    return _first_day().replace(month=12, day=31)


@register
class RecalculateCosts(DataProcessor):
    """A processor that recalculates the costs of goods issues in order of date."""

    title = gettext_lazy("Recalculate costs")
    description = gettext_lazy(
        "If a document is entered or changed later than its date, the cost of goods "
        "issues that are already posted stays the same. This processor recalculates "
        "the cost of every posted goods issue in the period, in order of date."
    )

    class Input(Values):
        """The first and last day of the period."""

        from_ = DateField(
            label=gettext_lazy("From"),
            help_text=gettext_lazy("The first day of the period."),
            default=_first_day,
        )
        to = DateField(
            label=gettext_lazy("To"),
            help_text=gettext_lazy("The last day of the period."),
            default=_last_day,
        )

    class Result(Values):
        """The number of issues, and of those that changed."""

        issues = IntegerField(label=gettext_lazy("Issues"))
        changed = IntegerField(label=gettext_lazy("Changed"))

    @classmethod
    def needs(cls) -> list[str]:
        """Return the right to post goods issues."""
        options = GoodsIssue._meta
        return [f"{options.app_label}.{get_permission_codename('post', options)}"]

    def validate(self, data: Mapping[str, Any]) -> None:
        """Refuse a period that ends before it begins."""
        if data["to"] < data["from_"]:
            raise ValidationError({"to": _("The last day is before the first.")})

    def dry_run(self, data: Mapping[str, Any], *, user: Any) -> str:
        """Return the period; refuse users without the right."""
        authorise(user, GoodsIssue, "post")
        return _(
            "recalculates the costs of the goods issues from %(first)s to %(last)s"
        ) % {"first": data["from_"], "last": data["to"]}

    def execute(self, data: Mapping[str, Any], *, user: Any) -> Mapping[str, Any]:
        """Recalculate the costs and return the counts."""
        period = Period(start_of(data["from_"]), start_of(data["to"], 1))
        found = recalculate_costs(period=period, actor=user)
        return {"issues": found.issues, "changed": found.changed}
