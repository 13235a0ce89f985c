"""A row created by plain Django REST framework, behind the same middleware as ours."""

from __future__ import annotations

from django.db import transaction
from rest_framework import generics, serializers

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
