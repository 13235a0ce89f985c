"""INSERT statements: their text is written once, their values are those of each row."""

from __future__ import annotations

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.db.models import Value
from django.db.models.functions import Upper
from django.db.models.sql.compiler import SQLInsertCompiler

pytestmark = pytest.mark.django_db


@pytest.fixture
def compiled(monkeypatch):
    """Return a list of the models whose INSERT Django compiles, from no text at all."""
    inserts = connection.ops.compiler("SQLInsertCompiler")
    monkeypatch.setattr(inserts, "texts", {})
    models, compile_one = [], SQLInsertCompiler.as_sql

    def as_sql(self):
        models.append(self.query.model)
        return compile_one(self)

    monkeypatch.setattr(SQLInsertCompiler, "as_sql", as_sql)
    return models


def make(name, **more):
    return ContentType(model=name, app_label="x", **more)


def names():
    """Return them as Python sorts, which databases do not agree on."""
    found = ContentType.objects.filter(app_label="x")
    return sorted(found.values_list("model", flat=True))


def test_a_second_row_is_written_without_compiling_again(compiled):
    for name in ("a", "b", "%s", "c%%d"):
        make(name).save()
    assert compiled == [ContentType]
    assert names() == ["%s", "a", "b", "c%%d"]


def test_a_row_with_a_key_and_one_without_have_texts_of_their_own(compiled):
    first = make("a")
    first.save()
    make("b", pk=first.pk + 7).save(force_insert=True)
    make("c", pk=first.pk + 9).save(force_insert=True)
    assert ContentType.objects.get(model="c").pk == first.pk + 9
    assert compiled == [ContentType, ContentType]


def test_a_row_gets_the_key_that_the_database_drew(compiled):
    rows = [make("a"), make("b")]
    for row in rows:
        row.save()
    assert [row.pk for row in rows] == list(
        ContentType.objects.filter(app_label="x")
        .order_by("model")
        .values_list("pk", flat=True)
    )


def test_an_expression_is_compiled_for_its_row_alone(compiled):
    make(Upper(Value("a"))).save()
    make("b").save()
    make(Upper(Value("c"))).save()
    make("d").save()
    assert names() == ["A", "C", "b", "d"]


def test_the_statement_depends_on_the_number_of_rows(compiled):
    make("a").save()
    ContentType.objects.bulk_create([make("b"), make("c")])
    ContentType.objects.bulk_create([make("d"), make("e")])
    ContentType.objects.bulk_create([make("f")])
    assert names() == list("abcdef")


def test_a_row_that_is_there_may_be_passed_over(compiled):
    make("a").save()
    ContentType.objects.bulk_create(
        [make("b", pk=ContentType.objects.get(app_label="x").pk)], ignore_conflicts=True
    )
    assert names() == ["a"]


def test_texts_are_forgotten_before_they_are_too_many(compiled, monkeypatch):
    monkeypatch.setattr("platform_site.database.inserts._MOST_TEXTS", 1)
    make("a").save()
    ContentType.objects.bulk_create([make("b", pk=901)])
    make("c").save()
    assert names() == ["a", "b", "c"]
    assert len(connection.ops.compiler("SQLInsertCompiler").texts) == 1
