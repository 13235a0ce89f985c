"""The questions that the pages of the reports ask: a day, and filters."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from catalogs.models import Account
from documents.models import LedgerEntry, StockMovement
from documents.reports.periods import midnight
from platform_site.records.admin.form import ReferenceSelect, names_seen

_DAY = timedelta(days=1)


class ReportForm(forms.Form):
    """The day of a report, which counts to its end, and what its rows are about."""

    # The names of the references, and the register that has them.
    references: ClassVar[tuple[str, ...]] = ()
    register: ClassVar[type[Any]]

    as_of = forms.DateField(
        required=False,
        label=_("At the end of"),
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    def __init__(self, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(request.GET, **kwargs)
        for name in self.references:
            column: Any = self.register._meta.get_field(name)
            field = forms.ModelChoiceField(
                column.related_model._base_manager.all(),
                required=False,
                label=_capital(column.verbose_name),
                widget=ReferenceSelect(column, admin.site),
            )
            names_seen(field, request, admin.site)
            self.fields[name] = field

    @property
    def moment(self) -> datetime | None:
        """Return the last instant that counts, None if everything does."""
        day: date | None = self.cleaned_data["as_of"]
        if day is None:
            return None
        try:
            end = timezone.make_aware(datetime.combine(day + _DAY, time()))
            return end.astimezone(timezone.get_default_timezone()) - _DAY.resolution
        except OverflowError:
            return None

    @property
    def filters(self) -> dict[str, Any]:
        """Return the arguments of the report besides the moment."""
        given = ((name, self.cleaned_data[name]) for name in self.references)
        return {f"{name}_id": row.pk for name, row in given if row is not None}


class StockReportForm(ReportForm):
    """The question about the stock."""

    references = ("warehouse", "item")
    register = StockMovement


class LedgerReportForm(ReportForm):
    """The question about the ledger."""

    references = ("counterparty",)
    register = LedgerEntry

    role = forms.ChoiceField(
        required=False,
        label=_("Role"),
        choices=[("", _("All")), *Account.Role.choices],
    )

    @property
    def filters(self) -> dict[str, Any]:
        """Return the arguments of the report besides the moment."""
        role = self.cleaned_data["role"]
        return {**super().filters, **({"role": role} if role else {})}


def presets() -> list[tuple[Any, str]]:
    """Return days that are often asked for, with their names; now has none."""
    today = midnight().date()
    month = today.replace(day=1) - _DAY
    year = today.replace(month=1, day=1) - _DAY
    return [
        (_("Now"), ""),
        (_("End of last month"), month.isoformat()),
        (_("End of last year"), year.isoformat()),
    ]


def _capital(name: Any) -> str:
    text = str(name)
    return text[:1].upper() + text[1:]
