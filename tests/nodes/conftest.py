"""Three nodes for the tests that need no others."""

from __future__ import annotations

import pytest

from tests.journeys.installation import require_server
from tests.nodes.cluster import cluster_in


@pytest.fixture(scope="package")
def cluster(tmp_path_factory):
    """Return three nodes that serve; a test that kills one starts it again."""
    require_server()
    with cluster_in(tmp_path_factory.mktemp("nodes")) as one:
        yield one
