"""`manage.py move_files to-bucket` and `to-folder`: copies all uploaded files, and checks
each copy."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from importer.commands import VisibleCommand
from platform_site.files.moving import Moved, move_files
from platform_site.files.stores import BlobStore, open_store

_TO_BUCKET: Final = "to-bucket"


class Command(VisibleCommand):
    """The command that copies uploaded files between folder and bucket."""

    help = (
        "Copies all uploaded files from the folder of attachments to the bucket, or "
        "back, and compares each copy with the hash of the upload. It can be repeated: "
        "what is there isn't copied again. Nothing is deleted unless --delete is given."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the direction, and the argument to delete."""
        parser.add_argument("direction", choices=[_TO_BUCKET, "to-folder"])
        parser.add_argument(
            "--delete",
            action="store_true",
            help="delete each file in its old place when its copy is good; no server "
            "may use that place any more",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Copy the files, and print how many; fail if some couldn't be copied."""
        if settings.PLATFORM_BLOBS_BUCKET is None:
            raise CommandError(
                "No bucket is set. Set BlobStorage:S3:Bucket and its group for this "
                "command, in either direction."
            )
        try:
            source, target = _places()
            if options["direction"] != _TO_BUCKET:
                source, target = target, source
            self.stdout.write(f"From {source.place} to {target.place}")
            moved = move_files(
                source, target, delete=options["delete"], tell=self.stdout.write
            )
        except OSError as error:
            reason = str(error.strerror or error).rstrip(".")
            raise CommandError(
                f"Not all files were copied: {reason}. Run the command again; it "
                "continues where it stopped."
            ) from None
        self._report(moved)

    def _report(self, moved: Moved) -> None:
        self.stdout.write(
            f"{moved.copied} files copied, {moved.present} were there already, "
            f"{moved.deleted} deleted in the old place."
        )
        if moved.unknown:
            self.stdout.write(
                f"{moved.unknown} files without an entry in the database stay in the "
                "old place; clean_files lists those of the place in use."
            )
        if failed := moved.missing + moved.damaged:
            raise CommandError(
                f"{failed} files couldn't be copied; see above. The others are in the "
                "new place."
            )


def _places() -> tuple[BlobStore, BlobStore]:
    """Return the folder and the bucket."""
    folder = Path(settings.PLATFORM_BLOBS_FOLDER)
    return open_store(folder, None), open_store(folder, settings.PLATFORM_BLOBS_BUCKET)
