"""Constants: one row per name and date, entered by hand."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model

from catalogs.models import Constant
from platform_site.records.errors import Refusal
from platform_site.records.services import create_record, delete_record, update_record

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def chief(db):
    return get_user_model().objects.create_superuser("chief")


def rate(chief, day, value):
    data = {"name": "rate", "effectiveDate": day, "value": value}
    return create_record(model=Constant, data=data, actor=chief)


def test_a_name_has_one_value_from_a_date_on(chief):
    rate(chief, "2026-01-01", "19")
    rate(chief, "2026-07-01", "16")
    with pytest.raises(Refusal) as refusal:
        rate(chief, "2026-07-01", "20")
    sentences = [problem.message for problem in refusal.value.problems]
    assert sentences == ["Another row already has this name and effectiveDate."]


def test_moving_a_value_onto_the_date_of_another_is_refused(chief):
    rate(chief, "2026-01-01", "19")
    later = rate(chief, "2026-07-01", "16")
    with pytest.raises(Refusal, match="name and effectiveDate"):
        update_record(row=later, data={"effectiveDate": "2026-01-01"}, actor=chief)


def test_a_deleted_value_makes_room(chief):
    first = rate(chief, "2026-01-01", "19")
    delete_record(row=first, actor=chief)
    assert rate(chief, "2026-01-01", "20").value == "20"


def test_the_value_of_a_day_is_corrected_in_place(chief):
    row = rate(chief, "1900-01-01", "old")
    update_record(row=row, data={"value": "new"}, actor=chief)
    assert Constant.objects.get().value == "new"
