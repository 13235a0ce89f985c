"""The signing key: made once, kept, never replaced behind anybody's back."""

from __future__ import annotations

import multiprocessing
import os
import stat
import time

import pytest

from platform_site.settings import signing_key
from platform_site.settings.errors import StartRefusedError
from tests.drill import times


def test_the_key_is_made_once_and_then_kept(tmp_path):
    """HOST-074, OPEN-111."""
    first = signing_key.ensure_signing_key(tmp_path)
    assert len(first) == 86
    assert signing_key.ensure_signing_key(tmp_path) == first
    assert signing_key.read_signing_key(tmp_path) == first


def test_two_installations_have_different_keys(tmp_path):
    """HOST-033, HOST-116."""
    one = signing_key.ensure_signing_key(tmp_path / "one")
    assert one != signing_key.ensure_signing_key(tmp_path / "two")


def test_the_key_is_readable_by_the_applications_user_alone(tmp_path):
    """HOST-117."""
    signing_key.ensure_signing_key(tmp_path)
    path = signing_key.key_file(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.drill
def test_racing_processes_agree_on_one_key(tmp_path):
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(8) as pool:
        for race in range(times(few=1, many=200)):
            data = tmp_path / str(race)
            keys = pool.map(signing_key.ensure_signing_key, [data] * 8, chunksize=1)
            assert len(set(keys)) == 1
            files = [path.name for path in (data / "keys").iterdir()]
            assert files == ["jwt-signing.key"]


def test_without_hard_links_the_first_key_still_wins(tmp_path, monkeypatch):
    def refuse(*_arguments):
        raise OSError("no hard links here")

    monkeypatch.setattr(signing_key.Path, "hardlink_to", refuse)
    first = signing_key.ensure_signing_key(tmp_path)
    signing_key._create(signing_key.key_file(tmp_path))
    assert signing_key.read_signing_key(tmp_path) == first


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 42, b"\xff" * 90])
def test_a_damaged_key_is_refused_and_left_alone(tmp_path, content):
    path = signing_key.key_file(tmp_path)
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StartRefusedError) as raised:
        signing_key.ensure_signing_key(tmp_path)
    assert str(path) in str(raised.value)
    assert path.read_bytes() == content


def test_what_a_killed_process_left_is_removed_but_nobodys_live_file(tmp_path):
    folder = tmp_path / "keys"
    folder.mkdir()
    old, new = folder / ".jwt-old", folder / ".jwt-new"
    for path in (old, new):
        path.write_text("", encoding="ascii")
    long_ago = time.time() - 120
    os.utime(old, (long_ago, long_ago))
    signing_key.ensure_signing_key(tmp_path)
    assert not old.exists()
    assert new.exists()


def test_the_derived_key_is_stable_and_does_not_reveal_its_source():
    """OPEN-111."""
    derived = signing_key.derive_secret_key("k" * 86)
    assert derived == signing_key.derive_secret_key("k" * 86)
    assert derived != signing_key.derive_secret_key("l" * 86)
    assert len(derived) >= 50
