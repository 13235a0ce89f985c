"""Pages with a cursor: rows that are there all the time are seen exactly once, in any
order, whatever happens to others between two pages."""

from __future__ import annotations

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import given, strategies as st

from catalogs.models import Item, UnitOfMeasure
from platform_site.site.api.problems import KINDS
from tests.catalogs.rows import a_folder, a_unit, an_item, stored
from tests.documents import rows
from tests.drill import effort

pytestmark = pytest.mark.django_db
ORDERINGS = (
    *("", "price", "-price", "name", "-name,price", "-code", "-id", "id,name"),
    *("parentId", "-parentId,name", "category,-price", "isFolder,name"),
    *("modifiedAt", "-version,name", "barcode,-createdAt", "code,-code"),
)
NAMES = st.sampled_from(["", "a", "B", "b", "ä", "Ω", "a b", "A"])
PRICES = st.sampled_from([None, "0", "1.5", "1.5000", "99999999999999.9999"])
ITEMS = st.tuples(NAMES, PRICES, st.booleans())
DEEDS = st.tuples(st.sampled_from(["insert", "delete", "edit", "restore"]), ITEMS)


class Shop:
    """Items in two folders, of which some stay and others come, go and change."""

    def __init__(self):
        self.unit = a_unit().pk
        self.folders = [None, a_folder(code="F0").pk, a_folder(code="F1").pk]
        self.number = 0
        self.others = []

    def item(self, name, price, inside):
        self.number += 1
        return an_item(
            code=f"I{self.number * 7 % 31}-{self.number}",
            name=name or "n",
            barcode=name,
            price=price,
            unitOfMeasureId=self.unit,
            parentId=self.folders[1 + self.number % 2] if inside else None,
        )

    def do(self, deed, values):
        """Insert, delete, change or restore an item that may come and go."""
        if deed == "insert" or not self.others:
            self.others.append(self.item(*values).pk)
            return
        row = stored(Item(pk=self.others[len(self.others) // 2]))
        if deed == "delete":
            rows.delete(row)
        elif deed == "restore":
            rows.restore(row)
        elif not row.is_deleted:
            rows.edit(row, name=values[0] or "n", price=values[1])


def walked(caller, ordering, size, between):
    """Return the ids of all pages, with a call between each two."""
    seen, cursor = [], ""
    while cursor is not None:
        order = f"&ordering={ordering}" if ordering else ""
        answer = caller.get(f"/Items?pageSize={size}{order}&cursor={cursor}")
        assert answer.status_code == 200, answer.content
        body = answer.json()
        assert set(body) == {"next", "results"}
        seen += [row["id"] for row in body["results"]]
        cursor = body["next"]
        assert len(seen) < 500
        between()
    return seen


@effort(12)
@given(
    ordering=st.sampled_from(ORDERINGS),
    size=st.integers(1, 4),
    stay=st.lists(ITEMS, max_size=7),
    others=st.lists(ITEMS, max_size=5),
    deeds=st.lists(DEEDS, max_size=8),
)
def test_what_stays_is_seen_exactly_once(reader, ordering, size, stay, others, deeds):
    with transaction.atomic():
        shop = Shop()
        kept = [shop.item(*each).pk for each in stay] + shop.folders[1:]
        shop.others = [shop.item(*each).pk for each in others]
        waiting = [*deeds]

        def between():
            if waiting:
                shop.do(*waiting.pop())

        seen = walked(reader, ordering, size, between)
        assert sorted(key for key in seen if key in kept) == sorted(kept)
        transaction.set_rollback(True)


def test_in_every_order_the_pages_make_up_the_list(reader):
    shop = Shop()
    for number, price in enumerate((None, "2", "1", None, "2", "0")):
        shop.item("ab"[number % 2], price, number % 3)
    for ordering in ORDERINGS:
        order = f"&ordering={ordering}" if ordering else ""
        listed = reader.get(f"/Items?pageSize=100{order}").json()["results"]
        seen = walked(reader, ordering, 1, lambda: None)
        assert seen == [row["id"] for row in listed], ordering


@pytest.fixture
def units(db):
    for code in ("a", "b", "c"):
        a_unit(code=code, name=f"Unit {code}")


def test_a_cursor_belongs_to_its_list(reader, units):
    path = "/UnitsOfMeasure?pageSize=1&codeIn=a,b,c"
    cursor = reader.get(f"{path}&cursor=").json()["next"]
    again = reader.get(f"{path}&cursor={cursor}").json()
    assert [row["code"] for row in again["results"]] == ["b"]
    larger = f"/UnitsOfMeasure?pageSize=50&codeIn=a,b,c&cursor={cursor}"
    rest = reader.get(larger).json()
    assert ([row["code"] for row in rest["results"]], rest["next"]) == (
        ["b", "c"],
        None,
    )
    wrong = (
        f"/UnitsOfMeasure?pageSize=1&cursor={cursor}",
        f"/UnitsOfMeasure?codeIn=a,b&cursor={cursor}",
        f"{path}&ordering=-code&cursor={cursor}",
        f"{path}&deleted=true&cursor={cursor}",
        f"/Warehouses?codeIn=a,b,c&cursor={cursor}",
        f"{path}&cursor={cursor[:-1]}",
        f"{path}&cursor={cursor[1:]}",
        f"{path}&cursor=nonsense",
        f"{path}&cursor=%00",
    )
    for asked in wrong:
        answer = reader.get(asked)
        assert answer.status_code == KINDS["invalid"].status, asked
        assert set(answer.json()["errors"]) == {"cursor"}
    both = reader.get(f"{path}&cursor=&page=1")
    assert set(both.json()["errors"]) == {"page"}


@pytest.mark.counts
def test_a_page_with_a_cursor_counts_nothing(reader, units):
    asked = "/UnitsOfMeasure?pageSize=1&cursor="
    cursor = reader.get(asked).json()["next"]
    with CaptureQueriesContext(connection) as queries:
        assert len(reader.get(asked + cursor).json()["results"]) == 1
    table = UnitOfMeasure._meta.db_table
    assert len([q for q in queries if f'FROM "{table}"' in q["sql"]]) == 1
