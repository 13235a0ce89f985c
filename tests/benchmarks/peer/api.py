"""Rows created and read by plain Django REST framework, behind the same middleware as
ours."""

from __future__ import annotations

from django.db import transaction
from rest_framework import generics, pagination, serializers

from catalogs import models as ours
from tests.benchmarks.peer.models import Item, Unit


class ItemSerializer(serializers.ModelSerializer):
    isFolder = serializers.BooleanField(source="is_folder")
    unitOfMeasureId = serializers.PrimaryKeyRelatedField(
        source="unit_of_measure", queryset=Unit.objects
    )

    class Meta:
        model = Item
        fields = ["id", "isFolder", "code", "name", "category", "unitOfMeasureId"]
        fields += ["barcode", "price", "description"]


class ItemsView(generics.CreateAPIView):
    """Creates an item and its history row in one transaction."""

    queryset = Item.objects.all()
    serializer_class = ItemSerializer

    @transaction.atomic
    def perform_create(self, serializer):
        """Save the row with its history row."""
        serializer.save()


class OurItemSerializer(serializers.ModelSerializer):
    """Our own items with the properties that our answers have."""

    isFolder = serializers.BooleanField(source="is_folder")
    parentId = serializers.PrimaryKeyRelatedField(source="parent", read_only=True)
    unitOfMeasureId = serializers.PrimaryKeyRelatedField(
        source="unit_of_measure", read_only=True
    )
    createdAt = serializers.DateTimeField(source="created")
    modifiedAt = serializers.DateTimeField(source="modified")

    class Meta:
        model = ours.Item
        fields = ["id", "isFolder", "code", "name", "parentId", "description"]
        fields += ["category", "unitOfMeasureId", "barcode", "price"]
        fields += ["version", "createdAt", "modifiedAt"]


class Pages(pagination.PageNumberPagination):
    page_size = 50


class OurItemsView(generics.ListAPIView):
    """Lists our own items."""

    queryset = ours.Item.objects.filter(is_deleted=False).order_by("code", "id")
    serializer_class = OurItemSerializer
    pagination_class = Pages


class OurItemView(generics.RetrieveAPIView):
    """Reads one of our own items."""

    queryset = ours.Item.objects.all()
    serializer_class = OurItemSerializer
