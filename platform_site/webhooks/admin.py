"""The admin pages of webhooks, whose secret is shown once, and of their deliveries."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from platform_site.accounts.delegation import own_reach
from platform_site.changes.labels import ColumnLabels, kind_in_words, recorded_models
from platform_site.changes.service_admin import ServiceAdmin
from platform_site.read_only_admin import ReadOnlyAdmin
from platform_site.webhooks.models import Delivery, EventType, Webhook
from platform_site.webhooks.services import (
    check,
    create_webhook,
    delete_webhook,
    retry,
    update_webhook,
)


def _kinds() -> list[tuple[str, str]]:
    """Return the kinds of rows with their labels."""
    return sorted(
        ((name, kind_in_words(name)) for name in recorded_models()), key=_label
    )


def _label(choice: tuple[str, str]) -> str:
    return choice[1]


class WebhookForm(forms.ModelForm[Webhook]):
    """The form of a webhook."""

    events = forms.MultipleChoiceField(
        label=_("events"),
        choices=EventType.choices,
        widget=forms.CheckboxSelectMultiple,
    )
    kinds = forms.MultipleChoiceField(
        label=_("kinds of rows"),
        choices=_kinds,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("If none is chosen, all that the user may see."),
    )

    class Meta:
        model = Webhook
        fields = ("url", "events", "kinds", "enabled")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = _kinds()
        gone = set(self.instance.kinds).difference(name for name, _label in known)
        lost = _("%(name)s (no longer exists)")
        # Without them, the webhook would be told of all rows.
        kept = [(name, lost % {"name": name}) for name in sorted(gone)]
        kinds: Any = self.fields["kinds"]
        kinds.choices = [*known, *kept]

    def clean(self) -> dict[str, Any]:
        """Refuse what can't be sent, or may not be seen."""
        data: dict[str, Any] = super().clean() or {}
        if not self.errors:
            row = Webhook(user=self.instance.user, **data)
            changed = ["models" if n == "kinds" else n for n in self.changed_data]
            try:
                check(row, only=changed)
            except ValidationError as wrong:
                messages = wrong.message_dict
                fields = {"models": "kinds"}
                for name, sentences in messages.items():
                    self.add_error(fields.get(name, name), sentences)
        return data


class WebhookLabels(ColumnLabels):
    """The labels for change events of a webhook."""

    def label(self, name: str) -> str:
        """Return the label of a property."""
        return super().label("kinds" if name == "models" else name)


@admin.register(Webhook)
class WebhookAdmin(ServiceAdmin):
    """The pages that list, create and change webhooks."""

    purpose = _("A webhook tells another program at once what happens here.")
    labels = WebhookLabels(Webhook)
    form = WebhookForm
    list_display = ("url", "what", "user", "enabled", "waiting", "trouble")
    list_filter = ("enabled",)
    list_select_related = ("user",)
    search_fields = ("url", "user__username")
    fields: ClassVar[Any] = ("url", "events", "kinds", "enabled")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Webhook]:
        """Return the webhooks with the numbers of what waits for them."""
        waits = Count("deliveries", Q(deliveries__sent_at=None))
        rows: QuerySet[Webhook] = super().get_queryset(request)
        return rows.annotate(waiting_count=waits)

    def get_fields(self, request: HttpRequest, obj: Webhook | None = None) -> Any:
        """Return the fields of the form, of a stored one with its user and trouble."""
        if obj is None:
            return self.fields
        return (*self.fields, "user", "created_at", "trouble", "deliveries_link")

    def get_readonly_fields(
        self, request: HttpRequest, obj: Webhook | None = None
    ) -> Any:
        """Return what nobody types."""
        return ("user", "created_at", "trouble", "deliveries_link")

    def get_form(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Return a form for a webhook of the user of the request."""
        form: Any = super().get_form(request, *args, **kwargs)

        def begin(self: Any, *given: Any, **named: Any) -> None:
            form.__init__(self, *given, **named)
            if self.instance.user_id is None:
                self.instance.user = request.user

        return type(form.__name__, (form,), {"__init__": begin})

    @admin.display(description=_("events"))
    def what(self, row: Webhook) -> str:
        """Return what it is told of, in words."""
        labels = dict(EventType.choices)
        return ", ".join(str(labels.get(each, each)) for each in row.events)

    @admin.display(description=_("waiting"))
    def waiting(self, row: Any) -> SafeString | str:
        """Return how many deliveries wait, with a link to them."""
        if not row.waiting_count:
            return "0"
        return format_html(
            '<a href="{}">{}</a>', _deliveries_of(row, waiting=True), row.waiting_count
        )

    @admin.display(description=_("deliveries"))
    def deliveries_link(self, row: Webhook) -> SafeString:
        """Return a link to what was sent."""
        text = gettext("Show the deliveries")
        return format_html('<a href="{}">{}</a>', _deliveries_of(row), text)

    def write(
        self, request: HttpRequest, row: Webhook, form: Any, *, change: bool
    ) -> None:
        """Create or change the webhook with its service."""
        values = {
            {"kinds": "models"}.get(name, name): value
            for name, value in form.cleaned_data.items()
            if name in self.fields
        }
        if change:
            update_webhook(row, values)
            return
        made = create_webhook(user=request.user, values=values)
        row.pk, row.user = made.pk, made.user
        request.new_secret = made.secret  # type: ignore[attr-defined]

    def response_add(
        self, request: HttpRequest, obj: Webhook, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Show the secret, which no other page does."""
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("The secret of the new webhook"),
            "opts": self.opts,
            "secret": request.new_secret,  # type: ignore[attr-defined]
            "webhook": obj,
        }
        return TemplateResponse(request, "webhooks/new_webhook.html", context)

    def delete_model(self, request: HttpRequest, obj: Webhook) -> None:
        """Delete the webhook with its service."""
        delete_webhook(obj)


class WebhookFilter(admin.RelatedOnlyFieldListFilter):
    """A filter by webhook, also if there is only one: links lead to it."""

    def has_output(self) -> bool:
        """Return that it is always shown."""
        return True


class DeliveryStateFilter(admin.SimpleListFilter):
    """A filter by whether a delivery was sent."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Return the states."""
        return list(Delivery.State.choices)

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Delivery]
    ) -> QuerySet[Delivery]:
        """Return the deliveries in the chosen state."""
        if self.value() not in Delivery.State.values:
            return queryset
        is_waiting = self.value() == Delivery.State.WAITING
        return queryset.filter(sent_at__isnull=is_waiting)


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    """The read-only list of deliveries, newest first, which can be sent again."""

    purpose = _("What webhooks are told is listed here, with the responses.")
    list_display = (
        "created_at",
        "webhook",
        "type",
        "key",
        "state_shown",
        "attempts",
        "status",
        "error",
    )
    list_filter = (
        DeliveryStateFilter,
        "type",
        ("webhook", WebhookFilter),
    )
    list_select_related = ("webhook",)
    fields = (
        "webhook",
        "type",
        "key",
        "created_at",
        "state_shown",
        "attempts",
        "due_at",
        "sent_at",
        "status",
        "error",
        "body",
    )
    readonly_fields = fields
    actions = ("send_again",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Delivery]:
        """Return the deliveries; of others' webhooks only for administrators, because
        messages have what their user may see."""
        rows: QuerySet[Delivery] = super().get_queryset(request)
        if own_reach().everything:
            return rows
        return rows.filter(webhook__user__username=request.user.get_username())

    @admin.display(description=_("state"), ordering="sent_at")
    def state_shown(self, row: Delivery) -> str:
        """Return the state in words."""
        return str(Delivery.State(row.state).label)

    def has_send_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may have deliveries sent again."""
        return bool(request.user.has_perm("webhooks.change_webhook"))

    @admin.action(
        description=_("Send the chosen deliveries again"), permissions=["send"]
    )
    def send_again(self, request: HttpRequest, queryset: QuerySet[Delivery]) -> None:
        """Have the selected deliveries sent again."""
        rows = list(queryset.select_related("webhook__user").order_by("pk"))
        for row in rows:
            retry(row)
        text = ngettext(
            "%d delivery is sent again.", "%d deliveries are sent again.", len(rows)
        )
        self.message_user(request, text % len(rows))


def _deliveries_of(row: Webhook, *, waiting: bool = False) -> str:
    address = reverse("admin:webhooks_delivery_changelist")
    state = f"&state={Delivery.State.WAITING.value}" if waiting else ""
    return f"{address}?webhook__id__exact={row.pk}{state}"
