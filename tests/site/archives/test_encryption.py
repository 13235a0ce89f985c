"""Encrypted archives: what opens them, here and with other programs of the same format."""

from __future__ import annotations

import io

import pyrage
import pytest
from django.core.management import call_command

from platform_site.site.archives.age_keys import identity_bytes, recipient_bytes
from platform_site.site.archives.encryption import (
    DecryptingReader,
    EncryptingWriter,
    new_identity,
)
from platform_site.site.archives.errors import DamagedArchive, WrongKey
from platform_site.site.archives.keys import Keys

IDENTITY, RECIPIENT = new_identity()
PASSPHRASE = Keys(passphrase="six wörds nobody would guess")
PUBLIC = Keys(recipients=(RECIPIENT,), identity=IDENTITY)
CHUNK = 64 << 10
LENGTHS = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK]
# A passphrase takes long on purpose.
CASES = [(PUBLIC, length) for length in LENGTHS] + [(PASSPHRASE, CHUNK + 1)]


def encrypted(content, keys):
    file = io.BytesIO()
    with EncryptingWriter(file, keys) as writer:
        # In parts that fit no chunk.
        for begin in range(0, len(content), 10_007):
            writer.write(content[begin : begin + 10_007])
    return file.getvalue()


def decrypted(content, keys):
    return io.BufferedReader(DecryptingReader(io.BytesIO(content), keys)).read()


def content_of(length):
    return bytes(number % 251 for number in range(length))


@pytest.mark.parametrize(("keys", "length"), CASES)
def test_what_is_encrypted_opens_here_and_with_age(keys, length):
    content = content_of(length)
    file = encrypted(content, keys)
    assert decrypted(file, keys) == content
    if keys.passphrase:
        assert pyrage.passphrase.decrypt(file, keys.passphrase) == content
    else:
        theirs = pyrage.x25519.Identity.from_str(IDENTITY)
        assert pyrage.decrypt(file, [theirs]) == content


def test_what_age_encrypts_for_a_key_opens_here():
    content = content_of(2 * CHUNK)
    recipient = pyrage.x25519.Recipient.from_str(RECIPIENT)
    assert decrypted(pyrage.encrypt(content, [recipient]), PUBLIC) == content


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        (Keys(passphrase="another one"), "passphrase is wrong"),
        (Keys(), "set Backup:Passphrase"),
        (PUBLIC, "set Backup:Passphrase"),
    ],
)
def test_a_wrong_or_missing_passphrase_is_refused(keys, sentence):
    with pytest.raises(WrongKey, match=sentence):
        decrypted(encrypted(b"secret", PASSPHRASE), keys)


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        (Keys(identity=new_identity()[0]), "another key"),
        (Keys(), "set Backup:Identity"),
    ],
)
def test_a_wrong_or_missing_private_key_is_refused(keys, sentence):
    with pytest.raises(WrongKey, match=sentence):
        decrypted(encrypted(b"secret", PUBLIC), keys)


def test_every_changed_byte_is_noticed():
    file = encrypted(b"a few bytes", PUBLIC)
    for place in range(len(file)):
        changed = bytearray(file)
        changed[place] ^= 1
        with pytest.raises((DamagedArchive, WrongKey)):
            decrypted(bytes(changed), PUBLIC)


def test_an_end_that_is_missing_is_noticed_also_between_two_chunks():
    file = encrypted(content_of(2 * CHUNK), PUBLIC)
    for cut in (1, CHUNK + 16, len(file) - 300):
        with pytest.raises((DamagedArchive, WrongKey)):
            decrypted(file[:-cut], PUBLIC)


@pytest.mark.parametrize(
    "text",
    ["", "age1", RECIPIENT[:-1], RECIPIENT[:-1] + "b", "ssh-ed25519 AAAA", IDENTITY],
    # The keys are others each time, and names of tests have to be the same.
    ids=["empty", "short", "cut", "mistyped", "ssh", "private"],
)
def test_a_text_that_is_no_public_key_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        recipient_bytes(text)


def test_keys_are_those_of_age():
    assert str(pyrage.x25519.Identity.from_str(IDENTITY).to_public()) == RECIPIENT
    assert identity_bytes(IDENTITY.lower()) == identity_bytes(IDENTITY)


def test_the_command_prints_a_pair_of_keys(capsys):
    call_command("create_backup_key")
    public, identity = capsys.readouterr().out.splitlines()
    theirs = pyrage.x25519.Identity.from_str(identity)
    assert public == f"# public key (Backup:Recipients): {theirs.to_public()}"
