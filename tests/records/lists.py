"""The lists of the administration as tests read them."""

from __future__ import annotations

from tests.records.pages import url


def opened(client, model, **query):
    answer = client.get(url(model, "changelist", **query))
    assert answer.status_code == 200, answer
    return answer


def listed(client, model, **query):
    """Return the codes of the rows on the page of a list."""
    rows = opened(client, model, **query).context["cl"].result_list
    return [row.code for row in rows]


def chips(client, model, **query):
    """Return the titles and texts of the active filters of a list."""
    found = opened(client, model, **query).context["cl"].chips
    return [(chip.title, chip.text) for chip in found]
