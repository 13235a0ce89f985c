"""One process per data folder."""

from __future__ import annotations

import pytest

from platform_site.settings.errors import StartRefusedError
from platform_site.site.host.instance_lock import only_instance


def test_a_second_process_on_the_same_data_folder_is_refused(tmp_path):
    with only_instance(tmp_path):
        refused = pytest.raises(StartRefusedError, match=str(tmp_path))
        with refused, only_instance(tmp_path):
            pytest.fail("both hold the lock")
        with only_instance(tmp_path / "other"):
            pass


def test_the_lock_is_free_again_after_its_holder(tmp_path):
    with only_instance(tmp_path):
        pass
    with only_instance(tmp_path):
        pass
