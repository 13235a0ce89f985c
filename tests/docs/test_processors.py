"""The example of the page on data processors does what the page says."""

from __future__ import annotations

import re

import pytest

from catalogs.models import Counterparty
from platform_site.processing import registry, services
from platform_site.processing.errors import InvalidStateError
from platform_site.processing.result_display import shown
from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.catalogs.rows import a_row, boss, events, stored

PAGE = APPLICATION_FOLDER / "docs" / "processors.md"


def example():
    code, *_others = re.findall(
        r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL
    )
    return code


@pytest.fixture
def fill_in_phones():
    names = {"__name__": "example"}
    before = dict(registry._processors)
    exec(compile(example(), str(PAGE), "exec"), names)
    yield names["FillInPhones"]
    registry._processors.clear()
    registry._processors.update(before)


def test_the_example_is_short():
    lines = [line for line in example().splitlines() if line.strip()]
    assert len(lines) < 40


@pytest.mark.django_db
def test_the_example_works_as_written(fill_in_phones):
    empty = a_row(Counterparty)
    kept = a_row(Counterparty, phone="1")
    execution = services.execute("FillInPhones", {"phone": "2"}, user=boss())
    assert shown("FillInPhones", execution.result).numbers == [("Filled in", "1")]
    assert (stored(empty).phone, stored(kept).phone) == ("2", "1")
    assert events(empty).first().user == boss()


@pytest.mark.django_db
def test_the_example_says_what_is_missing(fill_in_phones):
    with pytest.raises(InvalidStateError, match=r"^Type a phone number\.$"):
        services.execute("FillInPhones", user=boss())


@pytest.mark.django_db
def test_the_example_has_a_page(fill_in_phones, admin_client):
    page = "/admin/processors/FillInPhones"
    assert 'name="phone"' in admin_client.get(page).content.decode()
    answer = admin_client.post(page, {"phone": "5"})
    assert "<dt>Filled in</dt><dd>0</dd>" in answer.content.decode()
