"""Who acts, in which origin and run: the rule of OPEN-80 and the context that keeps it."""

from __future__ import annotations

import threading
from uuid import UUID

import pytest

from platform_site.changes.context import (
    Acting,
    ChangeOrigin,
    acting_as,
    acting_when_asked,
    current,
    prevailing,
)

RUN = UUID("00000000-0000-0000-0000-000000000001")
OTHER_RUN = UUID("00000000-0000-0000-0000-000000000002")
ORDER = [
    ChangeOrigin.IMPORT,
    ChangeOrigin.SCHEDULED_JOB,
    ChangeOrigin.MCP_AGENT,
    ChangeOrigin.API_KEY,
    ChangeOrigin.USER,
    ChangeOrigin.SYSTEM,
]


class Person:
    """Stands for a user; the context never looks inside."""

    def __init__(self, name):
        self.name = name


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        pytest.param(a, b, ORDER[min(i, j)], id=f"{b}-inside-{a}")
        for i, a in enumerate(ORDER)
        for j, b in enumerate(ORDER)
    ]
    + [
        pytest.param(
            ChangeOrigin.DEMO_DATA, other, ChangeOrigin.DEMO_DATA, id=f"{other}-in-demo"
        )
        for other in ChangeOrigin
    ]
    + [
        pytest.param(
            ChangeOrigin.IMPORT,
            ChangeOrigin.DEMO_DATA,
            ChangeOrigin.IMPORT,
            id="equals",
        ),
        pytest.param(
            ChangeOrigin.USER,
            ChangeOrigin.DEMO_DATA,
            ChangeOrigin.DEMO_DATA,
            id="demo-wins",
        ),
    ],
)
def test_the_first_origin_that_fits_wins(outer, inner, expected):
    assert prevailing(outer, inner) is expected


def test_every_origin_is_spelled_as_readers_see_it():
    """IMP-314."""
    assert {str(origin) for origin in ChangeOrigin} == {
        "User",
        "API key",
        "MCP agent",
        "Scheduled job",
        "Import",
        "Demo data",
        "System",
    }


def test_nobody_acts_as_system_unless_said_otherwise():
    assert current() == Acting(user=None, origin=ChangeOrigin.SYSTEM, run_id=None)


def test_the_context_ends_with_its_block():
    clerk = Person("clerk")
    with acting_as(clerk, ChangeOrigin.USER):
        assert current() == Acting(user=clerk, origin=ChangeOrigin.USER)
    assert current().user is None


def test_the_context_ends_with_an_exception_too():
    with (
        pytest.raises(ZeroDivisionError),
        acting_as(Person("clerk"), ChangeOrigin.USER),
    ):
        raise ZeroDivisionError
    assert current().user is None


def test_a_run_keeps_its_origin_and_run_whatever_is_opened_inside():
    clerk, owner = Person("clerk"), Person("owner")
    with (
        acting_as(clerk, ChangeOrigin.IMPORT, RUN),
        acting_as(owner, ChangeOrigin.API_KEY, OTHER_RUN),
    ):
        assert current() == Acting(user=owner, origin=ChangeOrigin.IMPORT, run_id=RUN)


def test_a_run_inside_a_job_is_an_import():
    clerk = Person("clerk")
    with (
        acting_as(clerk, ChangeOrigin.SCHEDULED_JOB),
        acting_as(clerk, ChangeOrigin.IMPORT, RUN),
    ):
        assert current() == Acting(user=clerk, origin=ChangeOrigin.IMPORT, run_id=RUN)


def test_an_inner_block_without_a_user_leaves_the_outer_one_acting():
    clerk = Person("clerk")
    with acting_as(clerk, ChangeOrigin.USER), acting_as(None, ChangeOrigin.SYSTEM):
        assert current().user is clerk


def test_a_thread_does_not_inherit_who_is_acting():
    seen = []
    with acting_as(Person("clerk"), ChangeOrigin.USER):
        thread = threading.Thread(target=lambda: seen.append(current()))
        thread.start()
        thread.join()
    assert seen == [Acting(user=None, origin=ChangeOrigin.SYSTEM)]


def test_a_lazy_context_is_asked_only_by_those_who_want_to_know():
    asked = []
    clerk = Person("clerk")

    def look():
        asked.append(1)
        return Acting(user=clerk, origin=ChangeOrigin.USER)

    with acting_when_asked(look):
        assert asked == []
        assert current().user is clerk
        with acting_as(None, ChangeOrigin.IMPORT, RUN):
            assert current() == Acting(
                user=clerk, origin=ChangeOrigin.IMPORT, run_id=RUN
            )
    assert current().user is None


def test_a_lazy_context_ends_with_an_exception():
    with (
        pytest.raises(ZeroDivisionError),
        acting_when_asked(lambda: Acting(user=Person("x"), origin=ChangeOrigin.USER)),
    ):
        raise ZeroDivisionError
    assert current().user is None
