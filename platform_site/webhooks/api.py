"""The API of webhooks and their deliveries. A new webhook shows its secret once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from django.core.exceptions import ValidationError as DjangoValidationError
from django.db.models import Count, Q, QuerySet
from django.urls import path
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from importer.api import valid
from platform_site.accounts.delegation import refuse_beyond_own
from platform_site.api_lists import ActOnRow, FilteredList, OneRow
from platform_site.webhooks.models import Delivery, Webhook
from platform_site.webhooks.serializers import (
    ChangedWebhookSerializer,
    CreatedWebhookSerializer,
    DeliverySerializer,
    NewWebhookSerializer,
    WebhookSerializer,
    WhichDeliveriesSerializer,
    WhichWebhooksSerializer,
)
from platform_site.webhooks.services import (
    create_webhook,
    delete_webhook,
    retry,
    update_webhook,
)

_WEBHOOKS: Final = (
    Webhook.objects.select_related("user")
    .annotate(waiting_count=Count("deliveries", Q(deliveries__sent_at=None)))
    .order_by("-pk")
)


@extend_schema_view(
    get=extend_schema(
        tags=["Webhooks"],
        operation_id="listWebhooks",
        summary="List webhooks",
        parameters=[WhichWebhooksSerializer],
    )
)
class WebhooksView(FilteredList):
    """The webhooks, for those who may view them."""

    model = Webhook
    rights: ClassVar[dict[str, str]] = {"POST": "add"}
    serializer_class = WebhookSerializer
    which = WhichWebhooksSerializer
    queryset = _WEBHOOKS

    @extend_schema(
        tags=["Webhooks"],
        operation_id="createWebhooks",
        summary="Create a webhook",
        request=NewWebhookSerializer,
        responses={201: CreatedWebhookSerializer},
    )
    def post(self, request: Request) -> Response:
        """Create a webhook of the caller, which is told of what happens from now on. The
        response contains its secret; it can't be shown again, so an `Idempotency-Key`
        has no effect here."""
        given = valid(NewWebhookSerializer(data=request.data))
        row = _by_property(lambda: create_webhook(user=request.user, values=given))
        body = {**WebhookSerializer(row).data, "secret": row.secret}
        headers = {"Location": f"{request.path}/{row.pk}", "Cache-Control": "no-store"}
        return Response(body, status.HTTP_201_CREATED, headers=headers)


@extend_schema_view(
    get=extend_schema(
        tags=["Webhooks"], operation_id="getWebhooks", summary="Read one: webhook"
    )
)
class WebhookView(OneRow):
    """One webhook, without its secret."""

    model = Webhook
    serializer_class = WebhookSerializer
    queryset = _WEBHOOKS
    rights: ClassVar[dict[str, str]] = {"PATCH": "change", "DELETE": "delete"}

    @extend_schema(
        tags=["Webhooks"],
        operation_id="changeWebhooks",
        summary="Change one: webhook",
        request=ChangedWebhookSerializer,
        responses=WebhookSerializer,
    )
    def patch(self, request: Request, pk: int) -> Response:
        """Change some properties. A webhook that is enabled again is told of all that
        has happened meanwhile."""
        given: Mapping[str, Any] = valid(ChangedWebhookSerializer(data=request.data))
        row = self.row(pk)
        _by_property(lambda: update_webhook(row, given))
        return self.answer(self.row(pk))

    @extend_schema(
        tags=["Webhooks"],
        operation_id="deleteWebhooks",
        summary="Delete one: webhook",
        responses={204: None},
    )
    def delete(self, request: Request, pk: int) -> Response:
        """Delete a webhook with its deliveries."""
        delete_webhook(self.row(pk))
        return Response(status=status.HTTP_204_NO_CONTENT)


@extend_schema_view(
    get=extend_schema(
        tags=["Webhooks"],
        operation_id="listWebhooksDeliveries",
        summary="List the deliveries of a webhook",
        parameters=[WhichDeliveriesSerializer],
    )
)
class DeliveriesView(FilteredList):
    """What is sent to a webhook, the newest first."""

    model = Delivery
    serializer_class = DeliverySerializer
    which = WhichDeliveriesSerializer
    queryset = Delivery.objects.order_by("-pk")

    def get(self, request: Request, pk: int) -> Any:
        """Return a page of deliveries. Those that were sent are kept for a week, of
        changes the newest 1,000."""
        webhook = Webhook.objects.select_related("user").filter(pk=pk).first()
        if webhook is None:
            raise NotFound(_("There is no webhook %(id)s.") % {"id": pk})
        # Messages have what their user may see.
        refuse_beyond_own(webhook.user)
        return super().get(request)

    def get_queryset(self) -> QuerySet[Delivery]:
        """Return the deliveries of the webhook."""
        return super().get_queryset().filter(webhook=self.kwargs["pk"])


class RetryView(ActOnRow):
    """A delivery that is sent again."""

    model = Webhook
    serializer_class = DeliverySerializer
    queryset = Delivery.objects.select_related("webhook__user")
    rights: ClassVar[dict[str, str]] = {"POST": "change"}

    @extend_schema(
        tags=["Webhooks"],
        operation_id="retryWebhooksDeliveries",
        summary="Send a delivery again",
        request=None,
        responses=DeliverySerializer,
    )
    def post(self, request: Request, pk: int, delivery_id: int) -> Response:
        """Send a delivery again, before all later ones."""
        row = self.get_queryset().filter(pk=delivery_id).first()
        if row is None or row.webhook_id != pk:
            raise NotFound(_("There is no delivery %(id)s.") % {"id": delivery_id})
        return self.answer(retry(row))


def _by_property(write: Callable[[], Webhook]) -> Webhook:
    try:
        return write()
    except DjangoValidationError as wrong:
        raise ValidationError(wrong.message_dict) from None


urlpatterns = [
    path("Webhooks", WebhooksView.as_view()),
    path("Webhooks/<int:pk>", WebhookView.as_view()),
    path("Webhooks/<int:pk>/Deliveries", DeliveriesView.as_view()),
    path("Webhooks/<int:pk>/Deliveries/<int:delivery_id>/retry", RetryView.as_view()),
]
