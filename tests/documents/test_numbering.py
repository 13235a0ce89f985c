"""Document numbers: by year, given codes, after refusals, and with concurrent
writers."""

from __future__ import annotations

import json
import subprocess
import sys
from threading import Barrier, Thread

import pytest
from django.conf import settings
from django.db import connection, connections
from django.utils import timezone

from documents import services
from documents.models import NumberSequence, SalesOrder
from documents.numbering import codes_meant, numbering_year
from platform_site.changes import services as changes
from platform_site.records.errors import Refusal
from platform_site.records.services import create_record
from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.catalogs.rows import boss, events, stored
from tests.documents.rows import World, as_lines, day, delete, edit, restore
from tests.documents.writer import create
from tests.environment import inherited_by_tests

EACH = 500


def codes():
    return list(SalesOrder.objects.order_by("pk").values_list("code", flat=True))


def test_each_kind_and_year_has_its_own_sequence(world):
    line = (world.rice, 1, 1)
    made = [
        world.order(line),
        world.order(line, on="2027-01-05T00:00:00Z"),
        world.order(line),
        world.receipt(line, post=False),
        world.issue(line, post=False),
        world.payment(1, post=False),
    ]
    assert [row.code for row in made] == [
        "SO-2026-000001",
        "SO-2027-000001",
        "SO-2026-000002",
        "GR-2026-000001",
        "GI-2026-000001",
        "BR-2026-000001",
    ]
    assert events(made[0]).get().changes["code"] == [None, "SO-2026-000001"]


def test_the_year_is_that_of_the_platform_time_zone(world, settings):
    settings.PLATFORM_TIME_ZONE = "Asia/Tokyo"
    line = (world.rice, 1, 1)
    assert world.order(line, on="2026-12-31T14:59:59Z").code == "SO-2026-000001"
    assert world.order(line, on="2026-12-31T15:00:00Z").code == "SO-2027-000001"
    assert world.order(line, on="9999-12-31T23:59:59Z").code == "SO-9999-000001"


def test_a_code_never_changes(world):
    row = world.order((world.rice, 1, 1))
    edit(row, date="2029-01-05T00:00:00Z", code="")
    edit(row, code=None)
    delete(row)
    restore(row)
    assert stored(row).code == "SO-2026-000001"


def test_a_given_code_is_kept_and_skipped_by_numbering(world):
    line = (world.rice, 1, 1)
    world.order(line, code="MINE")
    world.order(line, code="SO-2026-000002")
    delete(world.order(line, code="SO-2026-000003"))
    assert [world.order(line).code for _ in range(2)] == [
        "SO-2026-000001",
        "SO-2026-000004",
    ]
    with pytest.raises(Refusal) as refusal:
        world.order(line, code="MINE")
    assert [p.path for p in refusal.value.problems] == ["code"]


@pytest.mark.counts
def test_numbering_skips_many_taken_codes(world, django_assert_max_num_queries):
    line = (world.rice, 1, 1)
    for number in range(1, 31):
        world.order(line, code=f"SO-2026-{number:06d}")
    with django_assert_max_num_queries(20):
        assert world.order(line).code == "SO-2026-000031"


def broken(*args, **kwargs):
    raise ZeroDivisionError


def test_a_refused_save_loses_no_number(world, monkeypatch):
    line = (world.rice, 1, 1)
    world.order(line)
    with pytest.raises(Refusal):
        world.order((world.rice, 0, 1))
    with monkeypatch.context() as patch:
        patch.setattr(changes, "insert_row", broken)
        with pytest.raises(ZeroDivisionError):
            world.order(line)
    world.order(line)
    assert codes() == ["SO-2026-000001", "SO-2026-000002"]


def order_values(world):
    return {
        "date": day(1),
        "counterpartyId": world.partner.pk,
        "currencyId": world.eur.pk,
        "lines": as_lines([(world.rice, 1, 1)]),
    }


def expected(count):
    return [f"SO-2026-{number:06d}" for number in range(1, count + 1)]


@pytest.mark.django_db(transaction=True)
def test_two_threads_draw_numbers_without_gap_or_double():
    data, ready, failures = order_values(World()), Barrier(2), []

    def write():
        try:
            ready.wait()
            create(EACH, data)
        except Exception as error:  # noqa: BLE001 - told by the test
            failures.append(error)
        finally:
            connections.close_all()

    threads = [Thread(target=write) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sorted(codes()) == expected(2 * EACH)


@pytest.mark.django_db(transaction=True)
def test_two_processes_draw_numbers_without_gap_or_double():
    data = json.dumps(order_values(World()))
    boss()
    database = str(settings.DATABASES["default"]["NAME"])
    command = [sys.executable, "-m", "tests.documents.writer", database, str(EACH)]
    environment = {
        **inherited_by_tests(),
        "DJANGO_SETTINGS_MODULE": "platform_site.settings.test",
        "PYTHONPATH": str(APPLICATION_FOLDER),
    }
    connection.close()
    writers = [
        subprocess.Popen(
            [*command, data],
            env=environment,
            cwd=APPLICATION_FOLDER,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    errors = [writer.communicate(timeout=120)[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], errors
    assert sorted(codes()) == expected(2 * EACH)


@pytest.mark.django_db(transaction=True)
def test_two_threads_cannot_both_take_the_last_piece():
    world = World()
    world.receipt((world.rice, 100, 1))
    issues = [world.issue((world.rice, 60, 1), on=2, post=False) for _ in range(2)]
    ready, outcomes = Barrier(2), []

    def write(row):
        try:
            ready.wait()
            services.post(row=row, actor=boss())
            outcomes.append("posted")
        except Refusal as refusal:
            outcomes.append(str(refusal))
        finally:
            connections.close_all()

    threads = [Thread(target=write, args=[row]) for row in issues]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    posted = [text for text in outcomes if text == "posted"]
    refused = [text for text in outcomes if "60 needed, 40 available" in text]
    assert (len(posted), len(refused)) == (1, 1), outcomes


def test_numbering_continues_beyond_a_million(world):
    world.order((world.rice, 1, 1))
    NumberSequence.objects.update(last=999_999)
    row = create_record(model=SalesOrder, data=order_values(world), actor=boss())
    assert row.code == "SO-2026-1000000"


@pytest.mark.parametrize("text", ["130", "000130", "so-130", "SO 130"])
def test_a_short_form_means_the_numbers_of_this_year_and_the_last_one(text):
    year = numbering_year(timezone.now())
    meant = [f"SO-{each}-000130" for each in (year, year - 1)]
    assert codes_meant(SalesOrder, text) == meant


@pytest.mark.parametrize(
    "text", ["", "GI-130", "1234567", "SO-2026-000130", "\u0661\u0663\u0660"]
)
def test_other_texts_are_no_short_forms(text):
    assert codes_meant(SalesOrder, text) == []
