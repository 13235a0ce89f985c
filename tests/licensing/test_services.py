"""The licence of a process: where it is read from, when, and what the log hears."""

from __future__ import annotations

import logging
import os
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from licensing import services
from licensing.licence import LicenceState
from licensing.limits import FREE, LicenceLimits
from tests.licensing.signing import Vendor

YEAR = 365 * 86_400


@pytest.fixture
def text(vendor):
    """Return a way to sign a licence that holds at the time of the test."""

    def signed(**changed):
        now = int(time.time())
        return vendor.licence(**{"iat": now, "exp": now + YEAR, **changed})

    return signed


@pytest.fixture(autouse=True)
def log(caplog):
    caplog.set_level(logging.INFO, logger="platform.licensing")
    return caplog


def state():
    return services.current_licence().state


def file_with(tmp_path, content):
    path = tmp_path / "my.licence"
    path.write_bytes(content)
    return path


def test_without_a_licence_the_installation_is_free(configure):
    configure(FILE=None, TOKEN="")
    assert services.licence_status() == "free"
    assert services.current_limits() == FREE


def test_settings_that_say_nothing_of_a_licence_are_free_too(settings):
    del settings.LICENSING
    services.reload()
    assert services.licence_status() == "free"
    services.reload()


def test_the_string_itself_can_be_configured(configure, text):
    configure(TOKEN=text())
    assert services.licence_status() == "licensed"
    assert services.current_limits() == LicenceLimits(20, 5000, 500)


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b"\r\n"])
def test_a_file_as_editors_write_it_is_read(configure, text, tmp_path, before):
    path = file_with(tmp_path, before + text(users=7).encode() + b"\r\n")
    configure(FILE=path)
    assert services.current_limits().users == 7


def test_the_file_wins_over_the_string(configure, text, tmp_path):
    path = file_with(tmp_path, text(users=7).encode())
    configure(FILE=path, TOKEN=text(users=9))
    assert services.current_limits().users == 7


def test_a_bad_file_wins_too(configure, text, tmp_path, log):
    configure(FILE=tmp_path / "none.licence", TOKEN=text())
    assert state() is LicenceState.INVALID
    assert str(tmp_path / "none.licence") in log.text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        ("\ufeffabc".encode("utf-16"), "not UTF-8"),
        (b"x" * 70_000, "larger than"),
        (b"x" * 9000, "longer than"),
        (b"nonsense", "complete licence"),
    ],
    ids=["empty", "utf-16", "large", "long", "nonsense"],
)
def test_a_file_without_a_licence_is_invalid(configure, tmp_path, content, words):
    configure(FILE=file_with(tmp_path, content), TOKEN="")
    licence = services.current_licence()
    assert licence.state is LicenceState.INVALID
    assert licence.limits == FREE
    assert words in licence.reason


def test_a_path_that_is_not_a_file_is_invalid_and_never_waited_for(configure, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (tmp_path, pipe, f"{tmp_path}/\0"):
        configure(FILE=path)
        assert str(path) in services.current_licence().reason
        assert state() is LicenceState.INVALID


def test_a_file_that_may_not_be_read_is_invalid(configure, text, tmp_path, monkeypatch):
    def refuse(*_arguments, **_named):
        raise PermissionError(13, "Permission denied")

    path = file_with(tmp_path, text().encode())
    configure(FILE=path)
    # In place of a file mode, which says nothing to the administrator of a machine.
    monkeypatch.setattr("pathlib.Path.open", refuse)
    assert services.current_licence().reason == (
        f"The file {path} cannot be read: Permission denied."
    )


@pytest.mark.parametrize("key", [None, b"", b"\xff", Vendor().private_pem])
def test_a_damaged_verifying_key_makes_the_licence_invalid(
    configure, text, tmp_path, key
):
    path = tmp_path / "public.pem"
    configure(TOKEN=text())
    path.unlink() if key is None else path.write_bytes(key)
    assert state() is LicenceState.INVALID
    assert str(path) in services.current_licence().reason


def test_the_products_own_key_is_in_place_and_takes_no_strangers_licence(
    settings, text
):
    settings.LICENSING = {"TOKEN": text()}
    services.reload()
    assert "signed with another key" in services.current_licence().reason
    services.reload()


def test_the_licence_is_read_once_until_it_is_asked_for_anew(configure, text, tmp_path):
    path = file_with(tmp_path, text(users=7).encode())
    configure(FILE=path)
    assert services.current_limits().users == 7
    path.write_text(text(users=9))
    assert services.current_limits().users == 7
    services.reload()
    assert services.current_limits().users == 9


def test_a_licence_that_ends_while_the_server_runs_has_ended(
    configure, text, monkeypatch, log
):
    configure(TOKEN=text())
    services.announce_licence()
    later = timezone.now() + timedelta(days=366)
    monkeypatch.setattr(timezone, "now", lambda: later)
    for _ in range(2):
        assert state() is LicenceState.EXPIRED
        assert services.current_limits() == FREE
    told = [record.levelname for record in log.records]
    assert told == ["INFO", "WARNING"]
    assert "Evaluation ended at" in log.text


def test_the_start_logs_a_valid_licence(configure, text, log):
    configure(TOKEN=text())
    services.announce_licence()
    (record,) = log.records
    assert record.levelname == "INFO"
    assert "licensed to Evaluation until" in log.text
    assert "20 users" in log.text


def test_the_start_logs_the_free_limits(configure, log):
    configure()
    services.announce_licence()
    (record,) = log.records
    assert (record.name, record.levelname) == ("platform.licensing", "INFO")
    assert "free (5 users" in log.text


@pytest.mark.parametrize(
    ("changed", "word"), [({"exp": 1}, "expired"), ({"users": 0}, "invalid")]
)
def test_the_start_warns_once_of_a_licence_that_gives_nothing(
    configure, text, log, changed, word
):
    token = text(**{"iat": 0, **changed})
    configure(TOKEN=token)
    services.announce_licence()
    services.current_limits()
    (record,) = log.records
    assert record.levelname == "WARNING"
    assert f"Licence: {word}, so the limits are those of Free" in log.text
    assert token not in log.text


def test_the_agreement_names_the_numbers_of_free():
    words = " ".join(services.agreement_text().split())
    assert "MIT licence" in words
    assert "5 users, 1,000 documents in a calendar month and 200 lines" in words


def test_a_licence_that_the_host_could_not_read_is_invalid(settings, log):
    settings.LICENSING = {"FILE": None, "TOKEN": "", "TROUBLE": "The disk is gone."}
    services.reload()
    assert state() is LicenceState.INVALID
    assert "The disk is gone." in log.text
