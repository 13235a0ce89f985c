"""The command that copies all files between the folder and the bucket."""

from __future__ import annotations

import io
import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from platform_site.files import blobs, moving
from platform_site.files.models import StoredFile
from platform_site.files.services import open_file, store_file
from platform_site.files.stores import BucketStore, FolderStore
from tests.files.conftest import InFolder
from tests.processing.users import an_uploader

pytestmark = pytest.mark.django_db
PACKAGE = "packages/" + "0" * 32
CONTENTS = [b"", b"a drawing", b"x" * 300_000]


@pytest.fixture
def in_both(in_bucket, settings):
    """Return folder and bucket by the direction that leads there."""
    return {
        "to-folder": InFolder(settings.PLATFORM_BLOBS_FOLDER),
        "to-bucket": in_bucket,
    }


@pytest.fixture(params=["to-bucket", "to-folder"])
def direction(request):
    return request.param


@pytest.fixture
def old(in_both, direction):
    return in_both["to-folder" if direction == "to-bucket" else "to-bucket"]


@pytest.fixture
def new(in_both, direction):
    return in_both[direction]


@pytest.fixture
def files(in_both, old, settings):
    """Three files and a kept package in the old place."""
    place = settings.PLATFORM_BLOBS_BUCKET
    if isinstance(old, InFolder):
        settings.PLATFORM_BLOBS_BUCKET = None
    person = an_uploader()
    stored = [
        store_file(upload=SimpleUploadedFile("a.bin", content), user=person)
        for content in CONTENTS
    ]
    old.put(PACKAGE, b"a package")
    settings.PLATFORM_BLOBS_BUCKET = place
    return stored


def move(*arguments):
    out = io.StringIO()
    call_command("move_files", *arguments, stdout=out)
    return out.getvalue()


def use(direction, settings):
    if direction == "to-folder":
        settings.PLATFORM_BLOBS_BUCKET = None


def test_all_files_and_packages_are_copied_and_the_old_ones_stay(
    files, old, new, direction, settings
):
    said = move(direction)
    assert "4 files copied, 0 were there already, 0 deleted" in said
    assert old.names() == new.names()
    use(direction, settings)
    for file, content in zip(files, CONTENTS, strict=True):
        with open_file(file) as stream:
            assert stream.read() == content


def test_a_second_call_copies_only_what_is_new(files, old, new, direction):
    move(direction)
    late = StoredFile.objects.create(
        id=uuid.uuid4(), name="late", content_type="", size=1, sha256=_hash(b"l")
    )
    old.put(blobs.name_of(late.pk), b"l")
    assert "1 files copied, 4 were there already" in move(direction)


def test_a_copy_that_was_spoiled_is_made_again(files, new, direction):
    move(direction)
    new.put(blobs.name_of(files[1].pk), b"A DRAWING")
    assert "1 files copied, 3 were there already" in move(direction)
    assert "4 were there already" in move(direction)


def test_after_a_kill_the_next_call_continues(files, new, direction, monkeypatch):
    copied = []

    def killed(moved, target, name, given, digest):
        if copied:
            raise KeyboardInterrupt
        copied.append(name)
        moving_copy(moved, target, name, given, digest)

    moving_copy = moving._copy
    monkeypatch.setattr(moving, "_copy", killed)
    with pytest.raises(KeyboardInterrupt):
        move(direction, "--delete")
    monkeypatch.undo()
    if isinstance(new, InFolder):
        # What a killed process leaves beside the name.
        names = [blobs.name_of(file.pk) for file in files]
        half = next(name for name in names if name not in new.names())
        new.put(f"{half}.part", b"half")
    said = move(direction, "--delete")
    assert "3 files copied, 1 were there already" in said
    assert len(new.names()) == 4


def test_with_delete_only_what_nobody_knows_stays_in_the_old_place(
    files, old, new, direction
):
    unknown = blobs.name_of(uuid.uuid4())
    old.put(unknown, b"?")
    said = move(direction, "--delete")
    assert "4 deleted in the old place" in said
    assert "1 files without an entry in the database stay" in said
    assert old.names() == [unknown]
    assert len(new.names()) == 4


def test_missing_and_damaged_files_are_named_and_the_others_copied(
    files, old, new, direction
):
    old.put(blobs.name_of(files[1].pk), b"A DRAWING")
    lost = StoredFile.objects.create(
        id=uuid.uuid4(), name="lost", content_type="", size=1, sha256=_hash(b"l")
    )
    out = io.StringIO()
    with pytest.raises(CommandError, match="2 files couldn't be copied"):
        call_command("move_files", direction, "--delete", stdout=out)
    assert f"damaged    {files[1].pk}" in out.getvalue()
    assert f"missing    {lost.pk}" in out.getvalue()
    assert len(new.names()) == 3
    # It is the only one that there is.
    assert old.names() == [blobs.name_of(files[1].pk)]


def test_a_place_that_changes_bytes_is_noticed(files, old, new, direction, monkeypatch):
    kind = FolderStore if isinstance(new, InFolder) else BucketStore
    write = kind.write

    def spoiled(self, name, chunks, **named):
        return write(self, name, [b"other"], **named)

    monkeypatch.setattr(kind, "write", spoiled)
    before = old.names()
    with pytest.raises(CommandError, match="returns other bytes of"):
        move(direction, "--delete")
    assert old.names() == before


def test_a_bucket_that_fails_is_a_sentence(files, in_bucket, direction):
    in_bucket.server.refusing = True
    with pytest.raises(CommandError, match=r"Not all files.*The bucket files.*again"):
        move(direction)


def test_without_a_bucket_it_says_which_setting_is_missing(in_folder):
    with pytest.raises(CommandError, match="Set BlobStorage:S3:Bucket"):
        move("to-bucket")


def _hash(content):
    return moving._hash(io.BytesIO(content))
