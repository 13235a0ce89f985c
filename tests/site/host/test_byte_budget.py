"""Whose bytes go where the room for all is full, and what one address may have."""

from __future__ import annotations

import time

import pytest

from platform_site.site.host.byte_budget import SPARED_SECONDS, ByteBudget


class Client:
    """One that has been waited for so long."""

    def __init__(self, address, seconds=2 * SPARED_SECONDS):
        self.address = address
        self.waiting_since = time.monotonic() - seconds
        self.is_given_up = False

    def give_up(self):
        self.is_given_up = True


@pytest.fixture
def room():
    return ByteBudget(800)


def crowd(room, address):
    """Take all that one address gets."""
    clients = [Client(address, 60 - number) for number in range(7)]
    assert all(room.take(one, 100) for one in clients)
    return clients


def test_one_address_leaves_room_to_others(room):
    crowd(room, "a")
    assert not room.take(Client("a", 0), 100)
    assert room.take(Client("b", 0), 100)


def test_who_has_all_that_one_address_gets_is_let_go_for_its_own(room):
    honest = Client("b", 90)
    room.take(honest, 100)
    clients = crowd(room, "a")
    room.take(Client("a", 0), 100)
    assert [one.is_given_up for one in clients] == [True] + [False] * 6
    assert not honest.is_given_up


def test_where_all_is_full_the_slowest_goes_of_the_address_that_has_most(room):
    honest = Client("b", 90)
    room.take(honest, 100)
    clients = crowd(room, "a")
    assert not room.take(Client("c", 0), 100)
    assert clients[0].is_given_up
    assert not honest.is_given_up
    room.release(clients[0])
    assert room.take(Client("c", 0), 100)


def test_a_slow_client_is_served_before_those_of_the_address_that_has_most(room):
    clients = crowd(room, "a")
    room.take(Client("b", 0), 100)
    assert not room.take(Client("c", 600), 100)
    assert clients[0].is_given_up


def test_who_has_only_just_begun_is_spared(room):
    begun = Client("a", 0)
    room.take(begun, 700)
    assert not room.take(Client("a", 0), 100)
    assert not begun.is_given_up


def test_what_was_released_is_there_for_the_same_address_again(room):
    for one in crowd(room, "a"):
        room.release(one)
    crowd(room, "a")
