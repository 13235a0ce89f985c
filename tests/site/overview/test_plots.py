"""Plots on the start page: their drawing, their table, and those of imports."""

from __future__ import annotations

import datetime as dt
import html
import re
from decimal import Decimal
from xml.etree import ElementTree

import pytest
from django.utils import timezone

from importer.models import ImportRun
from platform_site import plots
from platform_site.accounts.models import User
from platform_site.plots import Plot, Point, Shape
from platform_site.plots.scale import Scale
from platform_site.plots.svg import drawing
from platform_site.site.overview.plots import imports
from tests.catalogs.rows import a_clerk
from tests.documents.rows import World, a_documents_clerk

D = Decimal
Status = ImportRun.Status


def a_plot(shape=Shape.COLUMNS, *values, series=("Amount",), **words):
    points = [
        Point(f"p{n}", f"Point {n}", value, f"/list/?n={n}&more=1")
        for n, value in enumerate(values)
    ]
    return Plot("test", "Subject", "Finding", shape, series, points, **words)


def drawn(plot):
    """Return the elements of a drawing by their names."""
    found = {}
    for each in ElementTree.fromstring(drawing(plot)).iter():
        found.setdefault(each.tag, []).append(each)
    return found


# -- the drawing -----------------------------------------------------------------------


@pytest.mark.parametrize("shape", Shape)
def test_a_drawing_is_one_picture_with_a_text_and_links_for_the_pointer(shape):
    parts = drawn(a_plot(shape, (D(3),), (D(-1),), (D(0),)))
    (picture,) = [each for each in parts["g"] if each.get("role") == "img"]
    assert picture.get("aria-label") == "Subject: Finding"
    assert [a.get("href") for a in parts["a"]] == [
        f"/list/?n={n}&more=1" for n in range(3)
    ]
    # The table has the same links, so that these are no further stops.
    assert {a.get("tabindex") for a in parts["a"]} == {"-1"}
    assert [each.text for each in parts["title"]] == [
        "Point 0: 3",
        "Point 1: -1",
        "Point 2: 0",
    ]


@pytest.mark.parametrize("shape", Shape)
def test_a_drawing_has_no_inline_style_or_script(shape):
    text = drawing(a_plot(shape, (1, 2), (3, 4), series=("a", "b")))
    assert not re.search(r"<style|\sstyle=|<script|\son\w+=", text)


@pytest.mark.parametrize("shape", Shape)
def test_everything_is_drawn_inside_the_picture(shape):
    values = [(D(10) ** power, D(-7)) for power in range(12)]
    parts = drawn(a_plot(shape, *values, series=("a", "b")))
    width, height = map(float, parts["svg"][0].get("viewBox").split()[2:])
    for box in parts["rect"]:
        left, top = float(box.get("x")), float(box.get("y"))
        assert left >= 0
        assert top >= 0
        assert left + float(box.get("width")) <= width + 0.1
        assert top + float(box.get("height")) <= height + 0.1


def test_columns_are_as_high_as_their_values():
    bars = drawn(a_plot(Shape.COLUMNS, (1,), (2,), (4,)))["rect"]
    heights = [float(b.get("height")) for b in bars if b.get("class") == "plot-1"]
    assert heights[1] == pytest.approx(2 * heights[0], abs=0.2)
    assert heights[2] == pytest.approx(4 * heights[0], abs=0.2)


def test_series_differ_by_more_than_their_colour():
    parts = drawn(a_plot(Shape.STACKED, (1, 2, 3), series=("a", "b", "c")))
    textures = {each.get("id") for each in parts["pattern"]}
    used = {box.get("fill") for box in parts["rect"] if box.get("fill")}
    assert used == {f"url(#{name})" for name in textures}
    assert len(used) == 2


def test_names_are_text_and_no_markup():
    plot = Plot("x", "<b>", '"&', series=("a",), points=[Point("<i>", "<u>", (1,))])
    assert "<b>" not in drawing(plot)
    assert "<i>" not in drawing(plot)


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([D(0)], ["0", "0.5", "1"]),
        ([1], ["0", "1"]),
        ([D(37), D("-4")], ["-20", "0", "20", "40"]),
        ([D(17_124)], ["0", "5 k", "10 k", "15 k", "20 k"]),
        ([D(3_400_000)], ["0", "1 m", "2 m", "3 m", "4 m"]),
    ],
)
def test_a_scale_has_few_round_numbers(values, labels):
    shown = Scale(values).labels()
    assert len(shown) <= 6
    assert set(labels) <= set(shown)


# -- on the start page -----------------------------------------------------------------


@pytest.fixture
def admin(client, db):
    client.force_login(User.objects.get(username="admin"))
    return client


def text_of(client):
    answer = client.get("/admin/")
    assert answer.status_code == 200, answer
    return html.unescape(re.sub(r"\s+", " ", answer.content.decode()))


def a_run(days, status=Status.COMPLETED, **values):
    return ImportRun.objects.create(
        package="prices",
        status=status,
        time_zone="UTC",
        started_by_name="clerk",
        started_at=timezone.now() - dt.timedelta(days=days),
        **values,
    )


def test_the_same_numbers_stand_in_a_table_beneath(admin, monkeypatch):
    plot = a_plot(Shape.COLUMNS, (1234,), (5,), heading="Month")
    monkeypatch.setattr(
        plots, "_sources", [(1, lambda user: [plot], lambda user: True)]
    )
    text = text_of(admin)
    assert '<h2 class="plot-finding">Finding</h2>' in text
    link = '<a href="/list/?n=0&more=1">Point 0</a>'
    cell = '<td class="number" data-label="Amount">1,234</td>'
    assert f"{link}</th>{cell}" in text
    assert "Show the numbers" in text


def test_a_broken_plot_does_not_break_the_page(admin, monkeypatch, caplog):
    def broken(user):
        raise OSError("the disk is gone")

    good = a_plot(Shape.LINE, (1,), (2,))
    sources = [(2, broken, lambda user: True), (1, lambda u: [good], lambda u: True)]
    monkeypatch.setattr(plots, "_sources", sources)
    text = text_of(admin)
    assert "This plot can't be shown; see the server log for the reason." in text
    assert "Finding" in text
    assert "the disk is gone" in caplog.text


def test_imports_are_counted_by_day_and_outcome(admin):
    a_run(0)
    a_run(0, has_errors=True)
    a_run(1, Status.FAILED, has_errors=True)
    a_run(1, Status.INTERRUPTED)
    a_run(1, Status.RUNNING)
    a_run(2, dry_run=True)
    a_run(40)
    (plot,) = imports(None)
    assert [point.values for point in plot.points[-3:]] == [
        (0, 0, 0, 0),
        (0, 0, 1, 1),
        (1, 1, 0, 0),
    ]
    assert len(plot.points) == 30
    assert plot.finding == "4 imports in 30 days; 3 of them had problems or failed"


def test_a_day_leads_to_its_imports(admin):
    yesterday = a_run(1)
    a_run(0)
    (plot,) = imports(None)
    text = admin.get(plot.points[-2].link.partition("#")[0])
    (line,) = text.context["history"]["runs"]
    assert line["run"].pk == yesterday.pk


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "soon"])
def test_the_history_bears_any_day(admin, day):
    assert admin.get(f"/admin/import?day={day}").status_code == 200


def test_imports_are_for_those_who_may_import(client, db):
    a_run(0)
    client.force_login(a_clerk("view_item"))
    assert client.get("/admin/").context["plots"] == []


# -- first steps and quick actions -----------------------------------------------------


def titles(client, name):
    return [str(each.title) for each in client.get("/admin/").context[name]]


def test_an_empty_installation_says_what_to_do_first(admin):
    assert titles(admin, "first_steps") == [
        "Load the demo company",
        "Import a table",
        "Import a package",
        "Enter a goods receipt",
        "Enter an order",
    ]
    assert 'class="plot"' not in text_of(admin)


def test_first_steps_follow_from_rights(client, db):
    client.force_login(a_documents_clerk("add_salesorder"))
    assert titles(client, "first_steps") == ["Enter an order"]
    assert titles(client, "actions") == ["New order"]


def test_first_steps_are_gone_once_there_is_a_document(client, db):
    world = World()
    clerk = a_documents_clerk("add_salesorder", "add_goodsissue", "add_bankreceipt")
    world.order((world.rice, 1, 1))
    client.force_login(clerk)
    assert titles(client, "first_steps") == []
    assert titles(client, "actions") == ["New order", "New issue", "New payment"]
