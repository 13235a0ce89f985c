"""Settings that come once for each name somebody gives them."""

from __future__ import annotations

from platform_site.settings.env import read_settings


def test_sources_of_packages_are_read_by_name():
    """OPEN-78."""
    settings = read_settings(
        {
            "Import__Sources__Prices__Url": "https://example.com/p.json",
            "IMPORT__SOURCES__PRICES__TOKEN": "secret",
            "Import__Sources__Other__Url": "https://example.com/o.json",
            "Import__Sources__Other__Deep__Url": "https://example.com/d.json",
        }
    )
    assert settings.named("Import:Sources:*:Url") == {
        "prices": "https://example.com/p.json",
        "other": "https://example.com/o.json",
    }
    assert settings.named("Import:Sources:*:Token") == {"prices": "secret"}
    shown = {each.key: each.shown for each in settings.all_effective()}
    assert shown["Import:Sources:PRICES:Token"] == "********"


def test_the_token_of_a_source_can_be_kept_in_a_file(tmp_path):
    path = tmp_path / "token"
    path.write_text("from a file\n", encoding="utf-8")
    settings = read_settings({"Import__Sources__Prices__Token__FILE": str(path)})
    assert settings.named("Import:Sources:*:Token") == {"prices": "from a file"}
