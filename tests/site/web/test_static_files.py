"""The addresses of files for browsers in a published folder."""

from __future__ import annotations

from platform_site.site.web.static_files import PublishedFiles


def test_a_file_that_was_not_published_keeps_its_name(tmp_path):
    """As that of an app of one's own: a page with it opens."""
    files = PublishedFiles(location=str(tmp_path / "wwwroot"), base_url="/static/")
    assert files.url("brands/brands.css") == "/static/brands/brands.css"
