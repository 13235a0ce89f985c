"""What the server refuses itself has the codes that the interface lists."""

from __future__ import annotations

from django.utils import translation

from platform_site.site.api.problems import AGAIN_SECONDS, KINDS
from platform_site.site.host import refused_requests


def test_what_the_server_refuses_itself_is_a_problem_of_the_list():
    with translation.override("en"):
        listed = {
            status: (code, str(KINDS[code].title))
            for status, (code, _title) in refused_requests.KINDS.items()
        }
    assert listed == refused_requests.KINDS
    assert [KINDS[code].status for code, _title in listed.values()] == list(listed)
    assert refused_requests.AGAIN_SECONDS == AGAIN_SECONDS
