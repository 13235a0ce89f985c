"""Writes the table of all settings into the hosting page, from the declared table that
the loader types values by: `python -m tests.house.settings_table`."""

from __future__ import annotations

from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.settings.known import KNOWN
from platform_site.settings.setting import Setting

PAGE = APPLICATION_FOLDER / "docs" / "hosting.md"
BEGIN = "<!-- Written by `python -m tests.house.settings_table`. -->\n"
END = "<!-- End of the table. -->\n"


def render() -> str:
    """Return the page with its table as it should be."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table()}{END}{after}"


def table() -> str:
    """Return the table: key, variable, type, default, meaning."""
    head = "| Setting | Variable | Type | Default | Meaning |\n|---|---|---|---|---|\n"
    return head + "".join(f"| {' | '.join(_cells(one))} |\n" for one in KNOWN)


def _cells(one: Setting) -> list[str]:
    secret = " Secret." if one.secret else ""
    default = f"`{one.default}`" if one.default else ""
    return [
        f"`{one.key}`",
        f"`{one.variable}`",
        " or ".join(one.choices) or one.kind.value,
        default,
        one.meaning + secret,
    ]


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
