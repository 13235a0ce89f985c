"""The cost per object of tables, beside the same rows in a package."""

from __future__ import annotations

import io
import random

from importer.tables.packages import package_of, table_description
from tests.benchmarks import list_files, ours, workload
from tests.benchmarks.objects import empty
from tests.benchmarks.timing import Timings

_FORMS = {
    "package": list_files.package,
    "CSV": list_files.csv_list,
    "XLSX": list_files.xlsx_list,
}


def measure(objects, rounds):
    """Return µs per object, of each form in each round."""
    timings = Timings()
    empty()
    ours.imported(
        workload.package(objects, prefix=list_files.BEFORE), "Inserted", objects
    )
    for number in range(rounds):
        order = list(_FORMS)
        random.shuffle(order)
        for form in order:
            data = _FORMS[form](objects, f"{form[0]}{number}N")
            with timings.of(form, unit=objects / 1e6):
                _imported(data, form, objects)
    return {"lists": timings.figures}


def _imported(data, form, objects):
    if form == "package":
        ours.imported(data, "Inserted", objects)
        return
    described = table_description({**list_files.DESCRIPTION, "name": f"list-{form}"})
    with package_of(io.BytesIO(data), described) as source:
        report = ours.run(source)
    assert report.counts["Inserted"] >= objects, report.counts
