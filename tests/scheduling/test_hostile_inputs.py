"""What no database keeps and no page shows is refused in the form of a job."""

from __future__ import annotations

import pytest

from platform_site.accounts.models import User
from platform_site.scheduling.models import Job
from tests.scheduling.test_admin import ADD, errors, typed

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[" * 50_000, "nested too deeply"),
        ('{"a":' * 60 + "1" + "}" * 60, "nested too deeply"),
        ("9" * 5_000, "more than 1,000 digits"),
        ('{"text": "\\ud800"}', "half a surrogate pair"),
        ('"\\ud800"', "half a surrogate pair"),
        ('{"text": "\\u0000"}', "U+0000"),
        ('{"text": NaN}', "NaN isn't a JSON number"),
        ('{"text": 1e999}', "a number is too large"),
    ],
    ids=range(8),
)
def test_such_an_input_is_refused_at_its_field(client, accounts, text, sentence):
    client.force_login(User.objects.get(username="admin"))
    assert sentence in errors(client.post(ADD, typed(input=text)))["input"]
    assert not Job.objects.exists()
