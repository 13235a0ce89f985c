"""Edit conflicts of rows without a version: the page stores the newest change that its
reader has seen, and a save after a later change is refused with the input kept."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext

from platform_site.changes.models import ChangeEvent
from platform_site.changes.service_admin import ServiceAdmin


class SeenForm(forms.Form):
    """A mixin for model forms that refuses to overwrite an unseen change.

    It must be used in a transaction, as admin forms are: the row stays locked until it
    is saved.
    """

    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)
    instance: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is None:
            del self.fields["seen"]
        else:
            self.initial["seen"] = newest_change(self.instance)

    def clean(self) -> Any:
        """Compare the newest change with the one that was seen."""
        cleaned = super().clean()
        seen = self.cleaned_data.pop("seen", None)
        if seen is not None:
            row = self.instance
            type(row)._base_manager.select_for_update().filter(pk=row.pk).first()
            if newest_change(row) != seen:
                self.add_error(None, _sentence(row))
        return cleaned


class SeenAdmin(ServiceAdmin):
    """The admin of a row with a `SeenForm`, including its hidden field."""

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Add the hidden field if the row can be changed."""
        shown = super().get_fieldsets(request, obj)
        if obj is None or not self.has_change_permission(request, obj):
            return shown
        return [*shown, (None, {"fields": ("seen",)})]


def newest_change(row: Any) -> int:
    """Return the key of the newest change of a row, 0 if none is recorded."""
    changes = ChangeEvent.objects.filter(model=row.catalog_name, row_id=row.pk)
    return changes.order_by("-pk").values_list("pk", flat=True).first() or 0


def _sentence(row: Any) -> str:
    opts = row._meta
    page = f"admin:{opts.app_label}_{opts.model_name}_change"
    return format_html(
        '{} <a href="{}" target="_blank">{}</a>',
        gettext(
            "Somebody else changed this row while the page was open, so nothing was "
            "saved. What you typed is still here."
        ),
        reverse(page, args=[row.pk]),
        gettext("Open the row as it is now"),
    )
