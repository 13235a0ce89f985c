"""The shapes of webhooks and deliveries in the API."""

from __future__ import annotations

from typing import Any, Final

from rest_framework import serializers

from importer.targets import (
    BooleanField,
    ChoiceField,
    ListField,
    StrictSerializer,
    TextField,
)
from platform_site.api_lists import YesOrNoField
from platform_site.webhooks.models import LONGEST_URL, Delivery, EventType, Webhook

_MOST_MODELS: Final = 100
_LONGEST_NAME: Final = 100


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    """A webhook without its secret."""

    events = serializers.ListField(child=serializers.ChoiceField(EventType.values))
    models = serializers.ListField(
        child=serializers.CharField(),
        source="kinds",
        help_text="Empty: all that the user may see.",
    )
    userName = serializers.CharField(
        source="user.username", help_text="It is told of what this user may see."
    )
    createdAt = serializers.DateTimeField(source="created_at")
    trouble = serializers.CharField(
        help_text="Why it was disabled; empty if it wasn't, or a person did it."
    )
    waiting = serializers.IntegerField(
        source="waiting_count",
        default=0,
        help_text="How many deliveries wait to be sent.",
    )

    class Meta:
        model = Webhook
        fields: Any = (
            "id",
            "url",
            "events",
            "models",
            "enabled",
            "userName",
            "createdAt",
            "trouble",
            "waiting",
        )


class CreatedWebhookSerializer(WebhookSerializer):
    """A new webhook with its secret."""

    secret = serializers.CharField(
        help_text="What messages are signed with; it is shown only this once."
    )

    class Meta(WebhookSerializer.Meta):
        fields: Any = (*WebhookSerializer.Meta.fields, "secret")


class ChangedWebhookSerializer(StrictSerializer):
    """The properties of a webhook that are to change."""

    url = TextField(
        max_length=LONGEST_URL, required=False, help_text="It begins with `https://`."
    )
    events = ListField(child=ChoiceField(EventType.values), required=False)
    models = ListField(
        child=TextField(max_length=_LONGEST_NAME),
        required=False,
        max_length=_MOST_MODELS,
        help_text="Kinds of rows, such as `Items`; empty for all.",
    )
    enabled = BooleanField(required=False)


class NewWebhookSerializer(ChangedWebhookSerializer):
    """What a new webhook is told, and where."""

    url = TextField(max_length=LONGEST_URL, help_text="It begins with `https://`.")
    events = ListField(child=ChoiceField(EventType.values))


class WhichWebhooksSerializer(StrictSerializer):
    """The query for webhooks."""

    enabled = YesOrNoField(required=False)


class DeliverySerializer(serializers.ModelSerializer[Delivery]):
    """An event for a webhook, and what became of it."""

    messageId = serializers.CharField(
        source="key", help_text="The header `webhook-id` of its message."
    )
    type = serializers.ChoiceField(EventType.values)
    state = serializers.ChoiceField(Delivery.State.values)
    createdAt = serializers.DateTimeField(source="created_at")
    nextAttemptAt = serializers.DateTimeField(source="due_at", allow_null=True)
    sentAt = serializers.DateTimeField(source="sent_at", allow_null=True)
    status = serializers.IntegerField(
        allow_null=True, help_text="Of the last response; null if there was none."
    )
    error = serializers.CharField(help_text="Why the last attempt failed.")
    body = serializers.CharField(help_text="What is sent.")

    class Meta:
        model = Delivery
        fields: Any = (
            "id",
            "messageId",
            "type",
            "state",
            "createdAt",
            "attempts",
            "nextAttemptAt",
            "sentAt",
            "status",
            "error",
            "body",
        )


class WhichDeliveriesSerializer(StrictSerializer):
    """The query for deliveries."""

    type = ChoiceField(EventType.values, required=False)
    state = ChoiceField(Delivery.State.values, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the query for the columns."""
        state = attrs.pop("state", None)
        if state is not None:
            attrs["sent_at__isnull"] = state == Delivery.State.WAITING
        return attrs
