"""Archives of an installation whose attachments are in a bucket: made from it, restored to
it, and carried between bucket and folder."""

from __future__ import annotations

import pytest

from platform_site.files import blobs
from platform_site.files.bucket import open_bucket
from platform_site.files.stores import BucketStore, FolderStore
from platform_site.site.archives.checking import check_archive
from platform_site.site.archives.errors import ArchiveError
from platform_site.site.archives.keys import Keys
from platform_site.site.archives.making import make_archive
from platform_site.site.archives.restoring import restore_archive
from platform_site.site.host import pending_restore as pending
from platform_site.site.host.pending_restore import finish_restore, refuse_while_pending
from tests.s3_server import s3_server
from tests.site.archives.test_interrupted import AFTER, Killed
from tests.site.archives.whole_installation import FILES

# The locks ask which database the tests use.
pytestmark = pytest.mark.django_db
PACKAGE = "0" * 32
PREFIX = "files/erp/"


@pytest.fixture
def server():
    with s3_server() as one:
        yield one
        open_bucket.cache_clear()


@pytest.fixture
def use(installation, settings, server):
    """Return how a test says where blobs are from now on."""

    def used(place):
        chosen = server.settings("BlobStorage:S3")
        for name, text in chosen.items():
            if place == "bucket":
                installation.variables[name] = text
            else:
                installation.variables.pop(name, None)
        settings.PLATFORM_BLOBS_BUCKET = installation.configuration.blobs_bucket

    return used


@pytest.fixture
def in_bucket(installation, server, use):
    """An installation with its blobs and a kept package in the bucket alone."""
    for name, content in of_folder(installation).items():
        server.store(PREFIX + name, content)
        (installation.data / "blobs" / name).unlink()
    server.store(f"{PREFIX}packages/{PACKAGE}", b"a package")
    use("bucket")
    return installation


def of_folder(installation):
    folder = installation.data / "blobs"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def of_bucket(server):
    return {key.removeprefix(PREFIX): text for key, text in server.objects.items()}


def restore(installation, archive):
    keys = Keys()
    return restore_archive(installation.configuration, archive, keys, replace=False)


def change(installation):
    installation.execute("UPDATE accounts_user SET first_name = 'changed'")


def rows(installation):
    return installation.state()[0]


def test_blobs_of_a_bucket_are_in_the_archive_and_come_back_to_it(
    in_bucket, server, tmp_path
):
    archive = make_archive(in_bucket.configuration, tmp_path / "a.tar.gz")
    before, stored = rows(in_bucket), of_bucket(server)
    assert len(stored) == len(FILES) + 1
    server.objects.clear()
    change(in_bucket)
    manifest = restore(in_bucket, archive).manifest
    assert (manifest.blobs, manifest.missing, manifest.damaged) == (len(FILES), 0, 0)
    assert of_bucket(server) == stored
    assert rows(in_bucket) == before
    # Nothing is left of them on the disk.
    assert of_folder(in_bucket) == {}
    assert not list(in_bucket.data.glob("restore-*"))


def test_a_drill_checks_an_archive_of_a_bucket(in_bucket, tmp_path):
    archive = make_archive(in_bucket.configuration, tmp_path / "a.tar.gz")
    outcome = check_archive(in_bucket.configuration, archive, Keys())
    assert (outcome.ok, outcome.blobs) == (True, len(FILES))


@pytest.mark.parametrize(
    ("made", "restored"), [("folder", "bucket"), ("bucket", "folder")]
)
def test_an_archive_of_one_is_restored_to_the_other(
    installation, server, use, tmp_path, made, restored
):
    if made == "bucket":
        for name, content in of_folder(installation).items():
            server.store(PREFIX + name, content)
            (installation.data / "blobs" / name).unlink()
    use(made)
    stored = of_folder(installation) or of_bucket(server)
    archive = make_archive(installation.configuration, tmp_path / "a.tar.gz")
    change(installation)
    use(restored)
    restore(installation, archive)
    found = of_bucket(server) if restored == "bucket" else of_folder(installation)
    assert found == stored
    assert {blob.key.hex for blob in blobs.contents().blobs} == {
        name[3:] for name in stored
    }


def test_a_missing_blob_is_listed_and_not_fatal(in_bucket, server, tmp_path):
    lost = next(key for key in server.objects if "packages" not in key)
    del server.objects[lost]
    archive = make_archive(in_bucket.configuration, tmp_path / "a.tar.gz")
    manifest = restore(in_bucket, archive).manifest
    assert (manifest.blobs, manifest.missing) == (len(FILES) - 1, 1)


@pytest.mark.parametrize("how", ["refusing", "cut"])
def test_a_backup_of_a_bucket_that_fails_is_a_sentence_and_leaves_nothing(
    in_bucket, server, tmp_path, how
):
    setattr(server, how, True)
    with pytest.raises(ArchiveError, match="The bucket files"):
        make_archive(in_bucket.configuration, tmp_path / "a.tar.gz")
    assert list(tmp_path.glob("*a.tar.gz*")) == []


def test_a_restore_to_a_bucket_that_fails_changes_nothing_and_can_be_repeated(
    in_bucket, server, tmp_path
):
    archive = make_archive(in_bucket.configuration, tmp_path / "a.tar.gz")
    before, stored = rows(in_bucket), of_bucket(server)
    server.objects.clear()
    change(in_bucket)
    changed = rows(in_bucket)
    server.refusing = True
    with pytest.raises(ArchiveError, match="can't be restored: The bucket files"):
        restore(in_bucket, archive)
    assert rows(in_bucket) == changed
    refuse_while_pending(in_bucket.configuration)
    assert not list(in_bucket.data.glob("restore-*"))
    server.refusing = False
    restore(in_bucket, archive)
    assert (rows(in_bucket), of_bucket(server)) == (before, stored)


def test_a_kill_while_blobs_are_uploaded_changes_no_row_and_no_blob(
    in_bucket, server, tmp_path, monkeypatch
):
    archive = make_archive(in_bucket.configuration, tmp_path / "a.tar.gz")
    before, stored = rows(in_bucket), of_bucket(server)
    server.objects.clear()
    change(in_bucket)
    changed = rows(in_bucket)
    _kill_in_the_middle(monkeypatch)
    monkeypatch.setattr(pending.Staging, "remove", lambda self: None)
    with pytest.raises(Killed):
        restore(in_bucket, archive)
    monkeypatch.undo()
    # What has arrived is whole, and no row knows it.
    arrived = of_bucket(server)
    assert 0 < len(arrived) < len(stored)
    assert arrived.items() <= stored.items()
    assert finish_restore(in_bucket.configuration) is False
    assert rows(in_bucket) == changed
    restore(in_bucket, archive)
    assert (rows(in_bucket), of_bucket(server)) == (before, stored)


@pytest.mark.parametrize("again", ["start", "restore"])
@pytest.mark.parametrize("step", [one for one in AFTER if one != "put_blobs"])
def test_after_the_decision_the_next_start_or_restore_completes_it(
    in_bucket, server, tmp_path, monkeypatch, step, again
):
    archive = make_archive(in_bucket.configuration, tmp_path / "a.tar.gz")
    before, stored = rows(in_bucket), of_bucket(server)
    server.objects.clear()
    change(in_bucket)

    def killed(*_arguments, **_named):
        raise Killed

    monkeypatch.setattr(f"platform_site.site.host.pending_restore.{step}", killed)
    with pytest.raises(Killed):
        restore(in_bucket, archive)
    monkeypatch.undo()
    with pytest.raises(Exception, match="interrupted"):
        refuse_while_pending(in_bucket.configuration)
    if again == "start":
        assert finish_restore(in_bucket.configuration) is True
    else:
        restore(in_bucket, archive)
    assert (rows(in_bucket), of_bucket(server)) == (before, stored)


def test_a_restore_begun_with_a_folder_is_completed_into_a_bucket(
    installation, server, use, tmp_path, monkeypatch
):
    """Whoever sets the bucket in between loses nothing."""
    archive = make_archive(installation.configuration, tmp_path / "a.tar.gz")
    before, stored = rows(installation), of_folder(installation)
    change(installation)
    with monkeypatch.context() as patch:
        _kill_in_the_middle(patch, FolderStore)
        with pytest.raises(Killed):
            restore(installation, archive)
    for name in stored:
        (installation.data / "blobs" / name).unlink(missing_ok=True)
    use("bucket")
    assert finish_restore(installation.configuration) is True
    assert rows(installation) == before
    # The first blob had reached the folder.
    assert len(of_bucket(server)) == len(stored) - 1
    assert of_bucket(server).items() <= stored.items()


def _kill_in_the_middle(patch, kind=BucketStore):
    """End the process after the first blob."""
    take, taken = kind.take, []

    def once(self, name, path):
        if taken:
            raise Killed
        taken.append(name)
        take(self, name, path)

    patch.setattr(kind, "take", once)
