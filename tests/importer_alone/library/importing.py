"""Register the models with their serializers: all an app has to do."""

from __future__ import annotations

from rest_framework import serializers

from importer.registry import register_target
from importer.serializers import WireSerializer
from importer.targets import SerializerTarget
from tests.importer_alone.library.models import Author, Book, Portrait


class AuthorSerializer(serializers.ModelSerializer):
    class Meta:
        model = Author
        fields = ("code", "name")


class BookSerializer(WireSerializer):
    class Meta:
        model = Book
        fields = (
            "code",
            "title",
            "author",
            "pages",
            "price",
            "published",
            "arrived",
            "lent",
            "genre",
        )


class PortraitSerializer(WireSerializer):
    class Meta:
        model = Portrait
        fields = ("code", "author")


register_target(SerializerTarget(Author, AuthorSerializer, name="Authors"))
register_target(SerializerTarget(Book, BookSerializer, name="Books"))
register_target(SerializerTarget(Portrait, PortraitSerializer, name="Portraits"))
