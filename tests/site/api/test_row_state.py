"""A row says its version and times; its ETag is true, and saves transfers."""

from __future__ import annotations

import gzip
import json

import pytest

from platform_site.processing import services
from tests.catalogs.rows import a_unit, an_item, boss
from tests.documents import rows
from tests.documents.rows import World

pytestmark = pytest.mark.django_db
STATE = {"version", "createdAt", "modifiedAt"}
NEVER = "2001-01-01T00:00:00Z"


@pytest.fixture
def path(db):
    return f"/UnitsOfMeasure/{a_unit(code='kg', name='Kilogram').pk}"


def test_a_row_and_an_item_of_a_list_have_the_same_state(employee, path):
    row = employee.get(path)
    assert row["ETag"] == f'"{row.json()["version"]}"' == '"1"'
    assert set(row.json()) >= STATE
    assert row.json()["createdAt"] == row.json()["modifiedAt"]
    changed = employee.patch(path, {"name": "Kilo"}).json()
    assert changed["version"] == 2
    assert changed["createdAt"] < changed["modifiedAt"]
    assert employee.get("/UnitsOfMeasure").json()["results"] == [changed]
    assert employee.get(path).json() == changed


def test_the_state_may_be_sent_back_in_any_zone_but_not_changed(employee, path):
    row = employee.get(path, X_Time_Zone="Asia/Tokyo").json()
    assert row["createdAt"].endswith("+09:00")
    assert employee.put(path, row).json()["version"] == 1
    for wrong in ({"version": 2}, {"createdAt": NEVER}, {"modifiedAt": None}):
        answer = employee.patch(path, wrong)
        assert answer.json()["errorCodes"] == {next(iter(wrong)): ["read-only"]}
    # Sent back, the version also says what the change was made for.
    employee.patch(path, {"name": "Kilo"})
    answer = employee.put(path, row)
    assert set(answer.json()["errors"]) == {"version", "modifiedAt"}


def test_the_same_tag_always_means_the_same_answer(admin):
    """Whatever else is written, an answer under a tag stays as it was."""
    world = World()
    known = {}

    def look():
        for name in ("Items", "SalesOrders", "GoodsReceipts", "GoodsIssues"):
            for row in admin.get(f"/{name}?pageSize=100").json()["results"]:
                answer = admin.get(f"/{name}/{row['id']}")
                assert answer.json() == row
                key = (name, row["id"], answer["ETag"])
                assert known.setdefault(key, row) == row

    order = world.order((world.rice, 2, 5))
    receipt = world.receipt((world.rice, 10, 2))
    issue = world.issue((world.rice, 2, 5), orderId=order.pk, post=False)
    look()
    rows.post(issue)
    look()
    payment = world.payment(10, issueId=issue.pk)
    look()
    rows.unpost(payment)
    rows.edit(receipt, lines=rows.as_lines([(world.rice, 10, 3)]))
    look()
    period = {"from": "2026-03-01", "to": "2026-03-31"}
    services.execute("RecalculateCosts", period, user=boss())
    look()
    rows.unpost(issue)
    rows.edit(world.rice, name="Brown rice")
    look()
    rows.delete(receipt)
    rows.restore(receipt)
    look()
    tags = {key[2] for key in known if key[0] == "GoodsIssues"}
    assert tags == {f'"{version}"' for version in (1, 2, 3)}


def test_a_reader_who_knows_the_version_gets_nothing_new(employee, path):
    read = employee.get(path)
    tag = read["ETag"]
    for known in (tag, f"W/{tag}", f'"9", {tag}', "*"):
        answer = employee.get(path, If_None_Match=known)
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer["ETag"] == tag
        assert answer["Cache-Control"] == "private, no-cache"
        assert "X-Time-Zone" in answer["Vary"]
        assert "Content-Length" not in answer
    for other in ('"9"', "1", ""):
        assert employee.get(path, If_None_Match=other).json() == read.json()
    employee.patch(path, {"name": "Kilo"})
    assert employee.get(path, If_None_Match=tag).status_code == 200


def test_a_new_row_says_where_it_is(employee):
    made = employee.post("/UnitsOfMeasure", {"code": "m", "name": "Metre"})
    assert made["Location"] == f"/api/v1/UnitsOfMeasure/{made.json()['id']}"
    assert employee.get(made["Location"]).json() == made.json()
    world = World()
    world.receipt((world.rice, 5, 1))
    order = world.order((world.rice, 1, 1))
    key = {"Idempotency-Key": "once"}
    where = f"/SalesOrders/{order.pk}/create/GoodsIssues"
    copy = employee.post(where, {"overrides": {}}, **key)
    assert copy["Location"] == f"/api/v1/GoodsIssues/{copy.json()['id']}"
    assert (
        employee.post(where, {"overrides": {}}, **key)["Location"] == copy["Location"]
    )


def test_a_deleted_row_is_gone_until_it_is_restored(employee, path):
    tag = employee.get(path)["ETag"]
    employee.delete(path)
    shown = employee.get(f"{path}?deleted=true")
    assert shown["ETag"] != tag
    for answer in (
        employee.get(path),
        employee.get(path, If_None_Match=tag),
        employee.patch(path, {"name": "x"}),
        employee.delete(path),
    ):
        assert answer.status_code == 410
        assert answer.json()["code"] == "gone"
        assert answer.json()["deletedAt"] == shown.json()["modifiedAt"]
    assert employee.post(f"{path}/restore").status_code == 200
    assert employee.get(path).status_code == 200


def test_a_large_answer_is_compressed_when_asked_for(employee, path):
    for number in range(20):
        a_unit(code=f"u{number}", name=f"Unit {number}")
    plain = employee.get("/UnitsOfMeasure")
    assert "Content-Encoding" not in plain
    packed = employee.get("/UnitsOfMeasure", Accept_Encoding="gzip, deflate")
    assert packed["Content-Encoding"] == "gzip"
    assert len(packed.content) < len(plain.content) / 2
    assert int(packed["Content-Length"]) == len(packed.content)
    assert json.loads(gzip.decompress(packed.content)) == plain.json()
    assert "Accept-Encoding" in packed["Vary"]
    # The length says nothing about the content (BREACH).
    lengths = {
        len(employee.get("/UnitsOfMeasure", Accept_Encoding="gzip").content)
        for _ in range(20)
    }
    assert len(lengths) > 3
    for refused in ("gzip;q=0", "identity", "br"):
        answer = employee.get("/UnitsOfMeasure", Accept_Encoding=refused)
        assert "Content-Encoding" not in answer
    assert "Content-Encoding" not in employee.get(path, Accept_Encoding="gzip")


def test_a_compressed_row_keeps_the_tag_for_its_change(employee):
    item = an_item(description="long " * 400)
    read = employee.get(f"/Items/{item.pk}", Accept_Encoding="gzip")
    assert (read["Content-Encoding"], read["ETag"]) == ("gzip", '"1"')
    answer = employee.patch(f"/Items/{item.pk}", {"name": "New"}, If_Match=read["ETag"])
    assert answer.status_code == 200


def test_tables_are_compressed_and_workbooks_are_not(employee):
    an_item(description="long " * 400)
    table = employee.get("/Items?format=csv", Accept_Encoding="gzip")
    assert table["Content-Encoding"] == "gzip"
    text = gzip.decompress(b"".join(table.streaming_content)).decode()
    assert STATE.isdisjoint(text.splitlines()[0].split(","))
    book = employee.get("/Items?format=xlsx", Accept_Encoding="gzip")
    assert "Content-Encoding" not in book
