"""The admin base of business rows: pages call services, and a refusal rolls back
Django's transaction before the page is shown again with the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import BooleanField
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext

from platform_site.records import services
from platform_site.records.admin.actions_undo import begin_deletion
from platform_site.records.admin.filters import DeletedFilter
from platform_site.records.admin.form import (
    Complaint,
    RecordForm,
    ReferenceSelect,
    names_seen,
    stored_key,
)
from platform_site.records.admin.information import (
    INFORMATION,
    InformationMixin,
    section,
)
from platform_site.records.admin.lists import ListColumnsMixin
from platform_site.records.admin.properties import Properties
from platform_site.records.admin.row_pages import RowPagesMixin
from platform_site.records.errors import NotAllowed, Problem, Refusal, Stale
from platform_site.records.models import Record

_READING = ("GET", "HEAD")


class _Refused(Exception):
    """A refusal that leaves the transaction which Django opens around the page."""

    def __init__(self, complaint: Complaint) -> None:
        super().__init__()
        self.complaint = complaint


class RecordAdmin(InformationMixin, ListColumnsMixin, RowPagesMixin):
    """The pages to list, read and edit business rows through ``records.services``
    (OPEN-16)."""

    form = RecordForm
    list_display: Any = ("code", "name")
    list_display_links: Any = ("code", "name")
    list_per_page = 50
    # Counting all rows without the filters takes longer than showing the page.
    show_full_result_count = False
    list_filter: ClassVar[Any] = (DeletedFilter,)
    search_fields: ClassVar[Any] = ("code", "name")
    readonly_fields: ClassVar[Any] = INFORMATION
    change_form_template = "records/change_form.html"
    delete_confirmation_template = "records/delete_confirmation.html"

    @cached_property
    def properties(self) -> Properties:
        """Return the wire properties of the model with the labels of its pages."""
        return Properties(self.model)

    @property
    def linked_by(self) -> list[str]:
        """Return the parameters by which pages of rows lead to the list, although it
        has no such filter: references, and what is true or not."""
        return [
            f"{field.name}__{'id__exact' if field.is_relation else 'exact'}"
            for field in self.opts.concrete_fields
            if field.is_relation or isinstance(field, BooleanField)
        ]

    @property
    def labels(self) -> Properties:
        """Return the labels for the model's events, whose references are keys."""
        return self.properties

    # -- what the search above all pages shows ---------------------------------------

    def codes_meant(self, text: str) -> Sequence[str]:
        """Return the codes of which a text may be a short form."""
        return ()

    def note_in_search(self, row: Any) -> str:
        """Return what tells a row from others with a similar name."""
        return ""

    # -- what may be done ----------------------------------------------------------

    def has_change_permission(
        self, request: HttpRequest, obj: Record | None = None
    ) -> bool:
        """Return whether the row can be changed; deleted rows are read-only.

        A form sent after the row was deleted is shown again with a message instead.
        """
        shut = obj is not None and obj.is_deleted and request.method in _READING
        return super().has_change_permission(request, obj) and not shut

    def has_delete_permission(
        self, request: HttpRequest, obj: Record | None = None
    ) -> bool:
        """Return whether the row can be deleted; deleted rows can't."""
        gone = obj is not None and obj.is_deleted
        return super().has_delete_permission(request, obj) and not gone

    # -- the page of one row -------------------------------------------------------

    def get_fieldsets(self, request: HttpRequest, obj: Record | None = None) -> Any:
        """Return the row's own fields, its hidden version and the change
        information."""
        if obj is None:
            return super().get_fieldsets(request, obj)
        shown = list(self.row_fieldsets(request, obj))
        if self.has_change_permission(request, obj):
            shown.append((None, {"fields": ("expected_version",)}))
        return [*shown, section(obj, request.user)]

    def get_fields(self, request: HttpRequest, obj: Record | None = None) -> Any:
        """Return the fields with a wire property, in the order of the wire form.

        Read-only users see them in the format of lists.
        """
        fields = self.fields or [field for _, field in self.properties.items()]
        if obj is None or self.has_change_permission(request, obj):
            return fields
        shown = (f"{field}_shown" for field in fields)
        pairs = zip(fields, shown, strict=True)
        return [new if hasattr(self, new) else field for field, new in pairs]

    def get_form(
        self,
        request: HttpRequest,
        obj: Record | None = None,
        change: bool = False,  # noqa: FBT001, FBT002 - Django's signature
        **kwargs: Any,
    ) -> Any:
        """Return the form, after a refusal with its problems."""
        form = super().get_form(request, obj, change, **kwargs)
        complaint = getattr(request, "complaint", None)
        if complaint is None:
            return form
        return type(form.__name__, (form,), {"complaint": complaint})

    def formfield_for_dbfield(self, *args: Any, **kwargs: Any) -> Any:
        """Return the field without a link that deletes the referenced row."""
        field = super().formfield_for_dbfield(*args, **kwargs)
        if field is not None and hasattr(field.widget, "can_delete_related"):
            field.widget.can_delete_related = False
        return field

    def formfield_for_foreignkey(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Return a field that searches while typing, usable with 100,000 rows."""
        if db_field.name in self.get_autocomplete_fields(request):
            kwargs["widget"] = ReferenceSelect(db_field, self.admin_site)
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)
        stored = self.model._base_manager.filter(pk=stored_key(request))
        known = stored.values_list(db_field.attname, flat=True)
        names_seen(field, request, self.admin_site, known)
        return field

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Show or save a row; after a refusal show the input with the reasons."""
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except _Refused as refused:
            request.complaint = refused.complaint  # type: ignore[attr-defined]
        return super().changeform_view(request, object_id, form_url, extra_context)

    def save_model(
        self,
        request: HttpRequest,
        obj: Any,
        form: Any,
        change: bool,  # noqa: FBT001 - Django's signature
    ) -> None:
        """Create or update the row with the services."""
        values = form.wire_values(self.properties.items())
        self.save_typed(request, form, values, change=change)

    def save_typed(
        self, request: HttpRequest, form: Any, values: dict[str, Any], *, change: bool
    ) -> None:
        """Write the input; a refusal leaves Django's transaction."""
        obj = form.instance
        try:
            # From here on the service checks the version.
            if change and (
                form.cleaned_data["expected_version"] != obj.version or obj.is_deleted
            ):
                raise Stale
            written = self.write(request, obj if change else None, values)
        except NotAllowed as error:
            raise PermissionDenied(str(error)) from None
        except Stale:
            raise _Refused(self._stale(obj)) from None
        except Refusal as refusal:
            raise _Refused(self._complaint(refusal, form)) from None
        # Django continues with its own object.
        vars(obj).update(vars(written))

    def write(
        self, request: HttpRequest, row: Any | None, values: dict[str, Any]
    ) -> Any:
        """Call the service that writes the values of a new or existing row."""
        actor = request.user
        if row is None:
            return services.create_record(model=self.model, data=values, actor=actor)
        return services.update_record(row=row, data=values, actor=actor)

    def _complaint(self, refusal: Refusal, form: RecordForm) -> Complaint:
        errors: list[tuple[str | None, str]] = []
        parts: list[Problem] = []
        for problem in refusal.problems:
            field = self.properties.form_field(problem.path)
            if field is not None and field in form.fields:
                errors.append((field, problem.message))
            elif self.properties.is_in_part(problem.path):
                parts.append(problem)
            else:
                errors.append((None, self.properties.sentence(problem)))
        return Complaint(tuple(errors), tuple(parts))

    def _stale(self, obj: Any) -> Complaint:
        url = reverse(self._url("change"), args=[obj.pk])
        sentence = format_html(
            '{} <a href="{}" target="_blank">{}</a>',
            gettext(
                "Somebody else changed this row while the page was open, so nothing "
                "was saved. What you typed is still here; where it differs, the "
                "stored value is shown at the field."
            ),
            url,
            gettext("Open the row as it is now"),
        )
        return Complaint(((None, sentence),), stale=True)

    def _url(self, page: str) -> str:
        site, opts = self.admin_site.name, self.opts
        return f"{site}:{opts.app_label}_{opts.model_name}_{page}"

    # -- deleting ------------------------------------------------------------------

    def delete_view(
        self,
        request: HttpRequest,
        object_id: str,
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Ask for confirmation, then soft-delete; after a refusal redirect to the
        row."""
        try:
            return super().delete_view(request, object_id, extra_context)
        except (Refusal, Stale) as error:
            row = self.get_object(request, unquote(object_id))
            self.message_user(request, self.sentence(row, error), messages.ERROR)
        return HttpResponseRedirect(reverse(self._url("row"), args=[object_id]))

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete one row with the services."""
        begin_deletion(request)
        services.delete_record(row=obj, actor=request.user)
