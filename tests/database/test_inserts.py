"""INSERT statements: their text is compiled once, their values are those of each row."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.contrib.auth import get_user_model
from django.contrib.contenttypes.models import ContentType
from django.db import connection, models
from django.db.models import Value
from django.db.models.functions import Upper
from django.db.models.sql.compiler import SQLInsertCompiler

from platform_site.changes.models import ChangeEvent
from platform_site.changes.services import record_change
from platform_site.database import inserts
from platform_site.database.inserts import insert_row, insert_rows

pytestmark = pytest.mark.django_db
User = get_user_model()


@pytest.fixture
def compiled(monkeypatch):
    """Return a list of the models whose INSERT Django compiles, from no text at all."""
    monkeypatch.setattr(inserts, "_statements", {})
    found, compile_one = [], SQLInsertCompiler.as_sql

    def as_sql(self):
        found.append(self.query.model)
        return compile_one(self)

    monkeypatch.setattr(SQLInsertCompiler, "as_sql", as_sql)
    return found


def make(name):
    return ContentType(model=name, app_label="x")


def names():
    """Return them as Python sorts, which databases do not agree on."""
    found = ContentType.objects.filter(app_label="x")
    return sorted(found.values_list("model", flat=True))


def test_a_second_row_is_written_without_compiling_again(compiled):
    for name in ("a", "b", "%s", "c%%d"):
        insert_row(make(name))
    assert compiled == [ContentType]
    assert names() == ["%s", "a", "b", "c%%d"]


def test_a_row_gets_the_key_that_the_database_drew(compiled):
    rows = [make("a"), make("b")]
    for row in rows:
        insert_row(row)
    assert [row.pk for row in rows] == list(
        ContentType.objects.filter(app_label="x")
        .order_by("model")
        .values_list("pk", flat=True)
    )
    assert not rows[0]._state.adding


def test_an_expression_is_compiled_for_its_row_alone(compiled):
    insert_row(make(Upper(Value("a"))))
    insert_row(make("b"))
    insert_row(make(Upper(Value("c"))))
    insert_row(make("d"))
    assert names() == ["A", "C", "b", "d"]


def test_rows_need_not_be_models(compiled):
    insert_rows(ContentType, [SimpleNamespace(app_label="x", model="a")])
    insert_rows(ContentType, [make("b"), make("c")])
    insert_rows(ContentType, [make("d"), make("e")])
    insert_rows(ContentType, [])
    assert names() == list("abcde")


def test_more_rows_than_one_statement_may_have_are_all_written(monkeypatch):
    monkeypatch.setattr(connection.ops, "bulk_batch_size", lambda fields, rows: 3)
    insert_rows(ContentType, [make(name) for name in "abcdefgh"])
    assert names() == list("abcdefgh")


def test_existing_rows_stay_as_they_are():
    insert_row(make("a"))
    insert_rows(ContentType, [make("a"), make("b")], unique=())
    assert names() == ["a", "b"]


def test_existing_rows_get_the_new_values():
    stored = User.objects.create(username="a", first_name="Ann")
    changed = User(username="a", first_name="Bea", date_joined=stored.date_joined)
    insert_rows(User, [changed, User(username="b")], unique=["username"])
    found = User.objects.filter(username__in="ab").order_by("username")
    assert next(iter(found.values_list("pk", "first_name"))) == (stored.pk, "Bea")
    assert found.count() == 2


def test_statements_are_forgotten_before_they_are_too_many(compiled, monkeypatch):
    monkeypatch.setattr(inserts, "_MOST_STATEMENTS", 1)
    insert_row(make("a"))
    insert_rows(ContentType, [make("b")])
    insert_row(make("c"))
    assert names() == ["a", "b", "c"]
    assert len(inserts._statements) == 1


@pytest.mark.parametrize("field", ChangeEvent._meta.concrete_fields, ids=str)
def test_every_column_is_stored_as_django_stores_it(field):
    """Compare the parameters with those of Django's own conversion."""
    event = record_change(
        action="created", model="Items", row_id=7, row="Ä %s", changes={"a": [None, 1]}
    )
    column = inserts._column(field, connection)
    value = getattr(event, field.attname)
    ours = value
    if type(value) not in column.plain:
        ours = column.convert(value, connection)
    assert repr(ours) == repr(field.get_db_prep_save(value, connection))
    stored = ChangeEvent.objects.get(pk=event.pk)
    assert getattr(stored, field.attname) == value


class _Shouting(models.CharField):
    """A text field that converts its values."""

    def get_prep_value(self, value):
        return value.upper()


def test_a_field_with_a_conversion_of_its_own_keeps_it():
    plain, own = models.CharField(max_length=5), _Shouting(max_length=5)
    assert inserts._plain_types(plain, type(connection.ops)) == {str, type(None)}
    assert not inserts._plain_types(own, type(connection.ops))
