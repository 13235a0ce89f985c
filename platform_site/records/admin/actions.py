"""The list actions delete, restore and erase. Each row is written by the services, and
refusals name the row. A deletion can be undone with the button of its message."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import model_ngettext
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from platform_site.accounts.services import is_administrator
from platform_site.records import services
from platform_site.records.admin.actions_undo import UndoMixin, begin_deletion
from platform_site.records.admin.exports import ExportMixin
from platform_site.records.admin.filters import DELETED
from platform_site.records.admin.properties import Properties
from platform_site.records.errors import Refusal, Stale

_MOST_SENTENCES = 10
_MOST_NAMED = 50


class ActionsMixin(ExportMixin, UndoMixin):
    """The list actions: export, delete and erase for live rows, restore and erase for
    deleted ones."""

    actions = (
        "export_selected",
        "delete_selected",
        "restore_selected",
        "erase_selected",
    )

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return the actions that apply to the filtered list."""
        deleted = request.GET.get(DELETED) == "yes"
        out = (
            {"delete_selected", "export_selected"} if deleted else {"restore_selected"}
        )
        actions = super().get_actions(request).items()
        return {name: action for name, action in actions if name not in out}

    def has_erase_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may erase rows: administrators only (OPEN-20)."""
        return is_administrator(request.user) and self.has_delete_permission(request)

    @admin.action(
        description=_("Delete selected %(verbose_name_plural)s"),
        permissions=["delete"],
    )
    def delete_selected(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> HttpResponse | None:
        """Ask for confirmation, then soft-delete the rows."""
        if not self._confirmed(request, queryset):
            return self._ask(request, queryset, "delete_selected")
        begin_deletion(request)
        done = self._each(request, queryset, services.delete_record)
        self._say(request, gettext("%(count)d %(rows)s deleted."), done)
        return None

    @admin.action(
        description=_("Restore selected %(verbose_name_plural)s"),
        permissions=["change"],
    )
    def restore_selected(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Restore the rows."""
        self.restore_rows(request, queryset)

    def restore_rows(self, request: HttpRequest, rows: Iterable[Any]) -> None:
        """Restore rows and say how many, or that there are none left."""
        done = self._each(request, rows, services.restore_record)
        self._say(request, gettext("%(count)d %(rows)s restored."), done)
        if not rows:
            sentence = gettext("There is nothing left to restore.")
            self.message_user(request, sentence, messages.WARNING)

    @admin.action(description=_("Erase for good"), permissions=["erase"])
    def erase_selected(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> HttpResponse | None:
        """Ask for confirmation, then erase the rows (IMP-120)."""
        if not self._confirmed(request, queryset):
            return self._ask(request, queryset, "erase_selected")
        done = self._each(request, queryset, services.erase_record)
        self._say(request, gettext("%(count)d %(rows)s erased for good."), done)
        return None

    def _confirmed(self, request: HttpRequest, queryset: QuerySet[Any]) -> bool:
        """Return whether the user confirmed, and the number of rows is still the
        same."""
        return request.POST.get("post") == str(queryset.count())

    def _ask(
        self, request: HttpRequest, queryset: QuerySet[Any], action: str
    ) -> TemplateResponse:
        count = queryset.count()
        named = list(queryset[:_MOST_NAMED])
        across = request.POST.get("select_across") == "1"
        # A request may not have as many fields as there may be rows.
        keys = (
            [row.pk for row in named[:1]]
            if across
            else [*queryset.values_list("pk", flat=True)]
        )
        shown = number_format(count, force_grouping=True)
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("Are you sure?"),
            "opts": self.opts,
            "media": self.media,
            "action": action,
            "action_checkbox_name": ACTION_CHECKBOX_NAME,
            "across": across,
            "keys": keys,
            "count": count,
            "named": named,
            "unnamed": count - len(named),
            "rows": f"{shown} {model_ngettext(self.opts, count)}",
        }
        return TemplateResponse(request, "records/confirm_action.html", context)

    def _each(
        self, request: HttpRequest, queryset: Iterable[Any], write: Callable[..., Any]
    ) -> int:
        """Write row by row, show refusals, and return the number written."""
        refused: list[str] = []
        done = 0
        for row in queryset:
            try:
                write(row=row, actor=request.user)
            except (Refusal, Stale) as error:
                refused.append(self.sentence(row, error))
            else:
                done += 1
        for sentence in refused[:_MOST_SENTENCES]:
            self.message_user(request, sentence, messages.ERROR)
        more = len(refused) - _MOST_SENTENCES
        if more > 0:
            text = ngettext(
                "%d other row was refused as well.",
                "%d other rows were refused as well.",
                more,
            )
            self.message_user(request, text % more, messages.ERROR)
        return done

    def sentence(self, row: Any, error: Refusal | Stale) -> str:
        """Return why a row was refused, as a sentence with its name."""
        if isinstance(error, Stale):
            return gettext("Somebody else has just changed %(row)s; try again.") % {
                "row": row
            }
        properties = Properties(self.model)
        reasons = " ".join(properties.sentence(each) for each in error.problems)
        return reasons if reasons.startswith(str(row)) else f"{row}: {reasons}"

    def _say(self, request: HttpRequest, text: str, done: int) -> None:
        if done:
            words = {"count": done, "rows": model_ngettext(self.opts, done)}
            self.message_user(request, text % words, messages.SUCCESS)
