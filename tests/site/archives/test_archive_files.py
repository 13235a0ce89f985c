"""The file of an archive: no changed or missing byte goes unnoticed."""

from __future__ import annotations

import gzip
import io
import tarfile
from hashlib import sha256

import pytest

from platform_site.site.archives import manifest as names
from platform_site.site.archives.encryption import new_identity
from platform_site.site.archives.errors import ArchiveError, DamagedArchive
from platform_site.site.archives.keys import Keys
from platform_site.site.archives.manifest import FORMAT, Manifest
from platform_site.site.archives.reading import read_archive
from platform_site.site.archives.writing import ArchiveWriter, file_seal

IDENTITY, RECIPIENT = new_identity()
KEYS = [Keys(), Keys(recipients=(RECIPIENT,), identity=IDENTITY)]
BLOB = f"{names.BLOBS}ab/ab{'0' * 30}"
CONTENT = {names.SQLITE: b"rows" * 5000, BLOB: b"a file", names.KEY: b"k" * 64}


def manifest(writer, checksums, **more):
    given = {
        "format": FORMAT,
        "version": "0.2.0",
        "provider": "Sqlite",
        "taken": "2026-11-01T02:30:00+00:00",
        "migrations": [],
        "apps": [],
        "counts": {"note": 3},
        "blobs": 1,
        "members": writer.members,
        "bytes": writer.bytes,
        "checksums": checksums,
    }
    return Manifest(**{**given, **more})


def written(path, keys=KEYS[0], **more):
    with ArchiveWriter(path, keys) as writer:
        for name, content in CONTENT.items():
            writer.add_bytes(name, content)
        writer.finish(lambda checksums: manifest(writer, checksums, **more))
    return path


@pytest.mark.parametrize("keys", KEYS, ids=["plain", "encrypted"])
def test_what_is_written_is_read_again(tmp_path, keys):
    found = {}

    def visit(name, stream):
        found[name] = stream.read()

    read = read_archive(written(tmp_path / "a", keys), keys, visit)
    assert found == CONTENT
    assert (read.members, read.bytes) == (3, sum(map(len, CONTENT.values())))


@pytest.mark.parametrize("keys", KEYS, ids=["plain", "encrypted"])
def test_every_changed_byte_is_refused(tmp_path, keys):
    file = written(tmp_path / "a", keys)
    content = file.read_bytes()
    for place in range(0, len(content), 7):
        changed = bytearray(content)
        changed[place] ^= 0x55
        file.write_bytes(changed)
        with pytest.raises(ArchiveError):
            read_archive(file, keys)


@pytest.mark.parametrize("keys", KEYS, ids=["plain", "encrypted"])
def test_a_file_that_was_cut_off_or_continued_is_refused(tmp_path, keys):
    file = written(tmp_path / "a", keys)
    content = file.read_bytes()
    for kept in (0, 1, 10, 30, len(content) // 2, len(content) - 9, len(content) - 1):
        file.write_bytes(content[:kept])
        with pytest.raises(ArchiveError):
            read_archive(file, keys)
    file.write_bytes(content + b"more")
    with pytest.raises(ArchiveError):
        read_archive(file, keys)


def test_members_that_were_exchanged_are_refused(tmp_path):
    """Whoever packs the parts anew can't leave one out."""
    file = written(tmp_path / "a")
    with tarfile.open(file) as old:
        members = [(one, old.extractfile(one).read()) for one in old]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as new:
        for member, content in members:
            if member.name != BLOB:
                new.addfile(member, io.BytesIO(content))
    anew = io.BytesIO()
    with gzip.GzipFile("", "wb", 1, anew, mtime=0) as compressed:
        compressed.write(packed.getvalue())
    content = anew.getvalue()
    file.write_bytes(content + file_seal(sha256(content).digest()))
    with pytest.raises(DamagedArchive, match="checksums"):
        read_archive(file, KEYS[0])


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/passwd", "blobs/../../evil", "other"]
)
def test_a_member_with_another_name_is_never_passed_on(tmp_path, name):
    with ArchiveWriter(tmp_path / "a", KEYS[0]) as writer:
        writer.add_bytes(name, b"evil")
        writer.finish(lambda checksums: manifest(writer, checksums))
    seen = []
    with pytest.raises(DamagedArchive, match="unexpected"):
        read_archive(tmp_path / "a", KEYS[0], lambda *one: seen.append(one))
    assert seen == []


def test_an_archive_of_another_format_is_refused(tmp_path):
    file = written(tmp_path / "a", format="platform-archive/2")
    with pytest.raises(ArchiveError, match="platform-archive/2"):
        read_archive(file, KEYS[0])


def test_checksums_are_those_of_sha256sum(tmp_path):
    # Anybody can unpack it.
    with tarfile.open(written(tmp_path / "a"), "r:gz") as tar:
        lines = tar.extractfile(names.CHECKSUMS).read().decode().splitlines()
    assert f"{sha256(b'a file').hexdigest()}  {BLOB}" in lines
