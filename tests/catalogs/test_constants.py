"""Constants: one row per name and date, set by users or by code."""

from __future__ import annotations

from datetime import date

import pytest
from django.contrib.auth import get_user_model

from catalogs import constants
from catalogs.models import Constant
from platform_site.changes.models import ChangeEvent
from platform_site.changes.services import ChangeOrigin, acting_as
from platform_site.records.errors import NotAllowed, Refusal
from platform_site.records.services import create_record, delete_record, update_record

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def chief(db):
    return get_user_model().objects.create_superuser("chief")


def rate(chief, day, value):
    data = {"name": "rate", "effectiveDate": day, "value": value}
    return create_record(model=Constant, data=data, actor=chief)


def test_a_name_has_one_value_from_a_date_on(chief):
    """OPEN-77."""
    rate(chief, "2026-01-01", "19")
    rate(chief, "2026-07-01", "16")
    with pytest.raises(Refusal) as refusal:
        rate(chief, "2026-07-01", "20")
    sentences = [problem.message for problem in refusal.value.problems]
    assert sentences == [
        '"rate, 2026-07-01" is taken by rate 2026-07-01, which was entered by hand.'
    ]


def test_moving_a_value_onto_the_date_of_another_is_refused(chief):
    rate(chief, "2026-01-01", "19")
    later = rate(chief, "2026-07-01", "16")
    with pytest.raises(Refusal, match="is taken by rate 2026-01-01"):
        update_record(row=later, data={"effectiveDate": "2026-01-01"}, actor=chief)


def test_the_date_of_a_deleted_value_is_free_again(chief):
    first = rate(chief, "2026-01-01", "19")
    delete_record(row=first, actor=chief)
    assert rate(chief, "2026-01-01", "20").value == "20"


def test_the_value_of_a_day_is_corrected_in_place(chief):
    row = rate(chief, "1900-01-01", "old")
    update_record(row=row, data={"value": "new"}, actor=chief)
    assert Constant.objects.get().value == "new"


def test_the_value_of_a_day_is_the_latest_up_to_that_day(chief):
    rate(chief, "2026-01-01", "19")
    rate(chief, "2026-07-01", "16")
    days = ["2025-12-31", "2026-01-01", "2026-06-30", "2026-07-01", "2030-01-01"]
    values = [constants.value_on("rate", date.fromisoformat(day)) for day in days]
    assert values == [None, "19", "19", "16", "16"]
    assert constants.value_on("another", date(2026, 7, 1)) is None


def test_a_deleted_value_is_replaced_by_the_previous_one(chief):
    rate(chief, "2026-01-01", "19")
    delete_record(row=rate(chief, "2026-07-01", "16"), actor=chief)
    assert constants.value_on("rate", date(2026, 8, 1)) == "19"
    assert constants.history("rate") == [(date(2026, 1, 1), "19")]


def test_the_history_of_a_name_is_newest_first(chief):
    rate(chief, "2026-01-01", "19")
    rate(chief, "2026-07-01", "16")
    assert constants.history("rate") == [
        (date(2026, 7, 1), "16"),
        (date(2026, 1, 1), "19"),
    ]


def test_setting_a_value_again_updates_the_row_and_records_the_change(chief):
    """OPEN-77."""
    for value in ("first", "second", "second"):
        with acting_as(chief, ChangeOrigin.SCHEDULED_JOB):
            constants.set_value(name="etag", value=value, actor=chief)
    row = Constant.objects.get()
    assert (row.value, row.effective_date) == ("second", constants.ALWAYS)
    events = ChangeEvent.objects.filter(model="Constants").order_by("id")
    assert [(each.action, each.origin) for each in events] == [
        ("created", "Scheduled job"),
        ("updated", "Scheduled job"),
    ]


def test_a_value_from_another_day_is_another_row(chief):
    constants.set_value(name="rate", value="19", actor=chief)
    later = date(2026, 7, 1)
    constants.set_value(name="rate", value="16", actor=chief, effective_date=later)
    assert constants.value_on("rate", date(2026, 6, 30)) == "19"
    assert constants.value_on("rate", later) == "16"


def test_writing_constants_needs_the_right(db):
    nobody = get_user_model().objects.create_user("nobody")
    with pytest.raises(NotAllowed):
        constants.set_value(name="etag", value="1", actor=nobody)
    assert not Constant.objects.exists()
