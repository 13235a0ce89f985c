"""The id of a request: taken or made, and on every answer."""

from __future__ import annotations

import pytest

from platform_site.site.web.request_ids import HEADER, chosen, current_request_id

pytestmark = pytest.mark.django_db


def test_an_id_that_came_with_the_request_is_answered(client):
    answer = client.get("/admin/login/", headers={HEADER: "shop-17/4"})
    assert answer[HEADER] == "shop-17/4"
    assert current_request_id() == ""


@pytest.mark.parametrize("given", [None, "", "x" * 129, "a b", "a\nb", "ä", "a;b", '"'])
def test_what_a_log_could_misread_is_replaced_by_a_new_id(given):
    made = chosen(given)
    assert made != given
    assert len(made) == 32
    assert made != chosen(given)


@pytest.mark.parametrize(
    "path",
    ["/admin/login/", "/admin/", "/api/v1/Items", "/nowhere", "/health/live"],
)
def test_every_answer_has_an_id_of_its_own(client, path):
    ids = {client.get(path)[HEADER] for _ in range(3)}
    assert len(ids) == 3
