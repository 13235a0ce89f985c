"""The rotation of the signing key: what the old one has signed stays valid until it ends,
and nothing else does."""

from __future__ import annotations

import datetime as dt
import io
import stat

import pytest
from django.conf import settings as django_settings
from django.core import signing
from django.core.management import CommandError, call_command
from rest_framework_simplejwt import state

from platform_site.accounts.models import User
from platform_site.accounts.seeding import seed_accounts
from platform_site.accounts.tokens import LoginToken, new_pair, read_token
from platform_site.management.commands import rotate_key as command_module
from platform_site.settings import key_rotation, signing_key
from platform_site.settings.configuration import build
from platform_site.settings.env import read_settings
from platform_site.settings.errors import StartRefusedError
from tests.first_start import started_once
from tests.site.host.processes import announced, start, stop

NOW = dt.datetime(2026, 11, 24, 12, tzinfo=dt.UTC)
TWO_WEEKS = dt.timedelta(days=14)


def configured(tmp_path, **environ):
    given = {"Platform__DataPath": str(tmp_path), **environ}
    return build(read_settings(given))


def test_the_old_key_stays_beside_the_new_one_for_as_long_as_it_counts(tmp_path):
    first = signing_key.ensure_signing_key(tmp_path)
    key_rotation.rotate(tmp_path, NOW)
    second = signing_key.read_signing_key(tmp_path)
    assert second != first
    later = NOW + dt.timedelta(days=1)
    key_rotation.rotate(tmp_path, later)

    def accepted(at):
        return key_rotation.previous_keys(tmp_path, TWO_WEEKS, at)

    assert accepted(later) == (second, first)
    assert accepted(NOW + TWO_WEEKS) == (second,)
    assert accepted(later + TWO_WEEKS) == ()
    files = {path.name: path for path in (tmp_path / "keys").iterdir()}
    assert len(files) == 3
    assert {stat.S_IMODE(path.stat().st_mode) for path in files.values()} == {0o600}
    gone = key_rotation.forget_expired_keys(tmp_path, TWO_WEEKS, NOW + TWO_WEEKS)
    assert [old.replaced_at for old in gone] == [NOW]
    assert accepted(NOW) == (second,)


def test_a_key_that_somebody_knows_is_forgotten_with_all_before_it(tmp_path):
    signing_key.ensure_signing_key(tmp_path)
    key_rotation.rotate(tmp_path, NOW)
    later = NOW + dt.timedelta(seconds=1)
    key_rotation.rotate(tmp_path, later, keep_old=False)
    assert key_rotation.previous_keys(tmp_path, TWO_WEEKS, later) == ()
    assert len(list((tmp_path / "keys").iterdir())) == 1


def test_without_a_key_there_is_nothing_to_replace(tmp_path):
    with pytest.raises(StartRefusedError, match="first start creates it"):
        key_rotation.rotate(tmp_path, NOW)
    assert not (tmp_path / "keys").exists()


def test_a_crash_leaves_the_old_key_in_place(tmp_path, monkeypatch):
    first = signing_key.ensure_signing_key(tmp_path)

    def fail(folder):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(key_rotation, "write_new_key", fail)
    with pytest.raises(StartRefusedError, match="No space left"):
        key_rotation.rotate(tmp_path, NOW)
    assert signing_key.read_signing_key(tmp_path) == first


def test_keys_of_the_settings_count_in_the_order_given(tmp_path):
    old, older = "o" * 43, "p" * 43
    environ = {
        "JwtOptions__Secret": "n" * 43,
        "JwtOptions__PreviousSecrets__0": old,
        "JwtOptions__PreviousSecrets__1": older,
        "Platform__PreviousSecretKeys__0": "q" * 43,
    }
    configuration = configured(tmp_path, **environ)
    assert configuration.previous_token_keys() == (old, older)
    derived = map(signing_key.derive_secret_key, (old, older))
    assert configuration.previous_secret_keys() == ("q" * 43, *derived)
    shown = configuration.settings.effective("JwtOptions:PreviousSecrets").shown
    assert shown == "********"


@pytest.mark.django_db
def test_a_token_of_an_earlier_key_is_read_and_one_of_another_key_is_not(settings):
    seed_accounts()
    text = new_pair(User.objects.get(username="admin"))["token"]
    present = state.token_backend.prepared_signing_key
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(vars(state.token_backend), "prepared_signing_key", b"n" * 43)
        assert read_token(LoginToken, text) is None
        settings.PLATFORM_PREVIOUS_TOKEN_KEYS = ("x" * 43, present.decode())
        assert read_token(LoginToken, text)["name"] == "admin"
        settings.PLATFORM_PREVIOUS_TOKEN_KEYS = ("x" * 43,)
        assert read_token(LoginToken, text) is None


@pytest.mark.django_db
def test_an_ended_token_of_an_earlier_key_has_ended(settings, monkeypatch):
    seed_accounts()
    monkeypatch.setattr(LoginToken, "lifetime", dt.timedelta(seconds=-1))
    text = new_pair(User.objects.get(username="admin"))["token"]
    present = state.token_backend.prepared_signing_key
    monkeypatch.setitem(vars(state.token_backend), "prepared_signing_key", b"n" * 43)
    settings.PLATFORM_PREVIOUS_TOKEN_KEYS = (present.decode(),)
    assert read_token(LoginToken, text) is None


def test_signatures_of_pages_survive_the_new_key(settings):
    signed = signing.dumps("kept")
    settings.SECRET_KEY_FALLBACKS = [django_settings.SECRET_KEY]
    settings.SECRET_KEY = "n" * 50
    assert signing.loads(signed) == "kept"


def rotate_key(monkeypatch, data, *arguments, **environ):
    """Run the command in this process, and return what it prints."""
    given = {"Platform__DataPath": str(data), **environ}
    configuration = build(read_settings(given))
    monkeypatch.setattr(command_module, "active", lambda: configuration)
    printed = io.StringIO()
    call_command("rotate_key", *arguments, stdout=printed)
    return printed.getvalue()


@pytest.mark.process
def test_who_is_signed_in_stays_so_after_the_key_was_replaced(tmp_path, monkeypatch):
    data = started_once(tmp_path / "data")
    one = start(data)
    try:
        announced(one)
        token = one.sign_in()["token"]
        with pytest.raises(StartRefusedError, match="Stop it first"):
            rotate_key(monkeypatch, data)
    finally:
        stop(one)
    said = rotate_key(monkeypatch, data)
    assert "stay valid until they end" in said
    one = start(data)
    try:
        announced(one)
        assert one.about(token)[0] == 200
        assert one.about(one.sign_in()["token"])[0] == 200
    finally:
        stop(one)


def test_the_command_forgets_a_key_and_leaves_one_of_the_settings(
    tmp_path, monkeypatch
):
    signing_key.ensure_signing_key(tmp_path)
    (tmp_path / "db").mkdir()
    said = rotate_key(monkeypatch, tmp_path, "--forget-old")
    assert "Everybody signs in again" in said
    assert len(list((tmp_path / "keys").iterdir())) == 1
    with pytest.raises(CommandError, match="PreviousSecrets") as refused:
        rotate_key(monkeypatch, tmp_path, JwtOptions__Secret="s" * 43)
    assert refused.value.returncode == 2
