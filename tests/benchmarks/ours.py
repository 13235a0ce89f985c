"""The product, as it is measured: its importer, and its reader alone."""

from __future__ import annotations

from django.contrib.auth import get_user_model

from importer import registry
from importer.package.hashing import digest_of
from importer.pipeline.memory import Memory
from importer.pipeline.read import PackageReader
from importer.services import ImportOptions, import_package
from tests.benchmarks import workload


def run(source, **options):
    """Import a package as `admin`."""
    user = get_user_model().objects.get(username="admin")
    return import_package(source, ImportOptions(**options), user=user)


def imported(data, outcome, count, **options):
    """Import bytes, and check that enough objects had an outcome."""
    report = run(workload.stream(data), **options)
    assert report.counts[outcome] >= count, report.counts


def read(data):
    """Read and check a package, and nothing else."""
    PackageReader(workload.stream(data), registry.package_format(), Memory()).read()


def read_and_hash(data):
    """Read and hash every object with the importer's own reader, and nothing else."""
    _Hashing(workload.stream(data), registry.package_format(), Memory()).read()


class _Hashing(PackageReader):
    def _check_for(self, index, keys):
        super()._check_for(index, keys)
        return lambda item, written: None

    def _remember(self, index, item, checked, written, place):
        digest_of(written)
