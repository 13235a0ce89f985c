"""The vendor's command: what it prints is good, and what it refuses ends with 2."""

from __future__ import annotations

import io
import subprocess
import sys
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from django.core.management import CommandError, call_command
from django.utils import timezone

from licensing.licence import LicenceState, read_licence
from licensing.limits import LicenceLimits
from platform_site.settings.configuration import APPLICATION_FOLDER


@pytest.fixture
def key(tmp_path, vendor):
    path = tmp_path / "private.pem"
    path.write_bytes(vendor.private_pem)
    return path


def issued(key, *arguments):
    out = io.StringIO()
    line = ("--key", str(key), "--licensee", "Evaluation", *arguments)
    call_command("issue_licence", *line, stdout=out)
    return out.getvalue()


def refusal(key, *arguments):
    with pytest.raises(CommandError) as refused:
        issued(key, *arguments)
    assert refused.value.returncode == 2
    assert str(refused.value).endswith(".")
    return str(refused.value)


def test_the_printed_line_is_a_licence_without_limits_for_a_year(key, vendor):
    printed = issued(key)
    assert printed == f"{printed.strip()}\n"
    licence = read_licence(printed, vendor.public_key, timezone.now())
    assert licence.state is LicenceState.LICENSED
    assert licence.terms.limits == LicenceLimits(None, None, None)
    assert licence.terms.licensee == "Evaluation"
    assert licence.terms.expires_at - licence.terms.issued_at == timedelta(days=365)


def test_days_and_limits_are_taken(key, vendor):
    arguments = ["--days", "3", "--users", "20", "--documents", "5000", "--lines", "9"]
    printed = issued(key, *arguments)
    licence = read_licence(printed, vendor.public_key, timezone.now())
    assert licence.limits == LicenceLimits(20, 5000, 9)
    assert licence.terms.expires_at - licence.terms.issued_at == timedelta(days=3)


def test_one_limit_leaves_the_others_open(key, vendor):
    printed = issued(key, "--users", "20")
    licence = read_licence(printed, vendor.public_key, timezone.now())
    assert licence.limits == LicenceLimits(20, None, None)


@pytest.mark.parametrize("name", ["days", "users", "documents", "lines"])
@pytest.mark.parametrize("text", ["0", "-1", "1.5", "many", "", "9" * 11, "٣"])
def test_a_wrong_number_is_refused_with_its_name(key, name, text):
    sentence = refusal(key, f"--{name}={text}")
    assert f"--{name} is {text}, but must be a whole number" in sentence


@pytest.mark.parametrize("name", ["", " ", "a\nb", "\udcff", "x" * 201])
def test_a_wrong_licensee_is_refused(key, name):
    assert "licensee" in refusal(key, f"--licensee={name}")


def test_a_missing_key_is_refused_with_its_path(tmp_path):
    assert str(tmp_path / "none.pem") in refusal(tmp_path / "none.pem")
    assert "Is a directory" in refusal(tmp_path)


@pytest.mark.parametrize("kind", ["public", "another curve", "nonsense", "no text"])
def test_a_file_without_the_right_key_is_refused(tmp_path, vendor, kind):
    other = Ed448PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    content = {
        "public": vendor.public_pem,
        "another curve": other,
        "nonsense": b"-----BEGIN PRIVATE KEY-----\nnonsense",
        "no text": b"\xff\x00",
    }
    path = tmp_path / "key.pem"
    path.write_bytes(content[kind])
    assert "no private Ed25519 key" in refusal(path)


def test_a_key_with_a_password_is_refused(tmp_path, vendor):
    path = tmp_path / "locked.pem"
    locked = serialization.BestAvailableEncryption(b"secret")
    path.write_bytes(vendor.private_pem_with(locked))
    assert "locked with a password" in refusal(path)


@pytest.mark.process
def test_from_the_command_line_a_wrong_call_ends_with_two(tmp_path, key):
    """Run it as the vendor does, beside no installation at all."""
    manage = APPLICATION_FOLDER / "manage.py"

    def run(*arguments):
        return subprocess.run(
            [sys.executable, manage, "issue_licence", "--key", key, *arguments],
            env={"Platform__DataPath": str(tmp_path / "data")},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    good = run("--licensee", "Evaluation")
    assert (good.returncode, good.stdout.count(".")) == (0, 2), good.stderr
    for wrong in ([], ["--licensee", "Evaluation", "--users", "many"]):
        ended = run(*wrong)
        assert (ended.returncode, ended.stdout) == (2, "")
        assert "Traceback" not in ended.stderr
    assert not (tmp_path / "data").exists()
