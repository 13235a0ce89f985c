"""The translation catalogues of the platform and added apps: collects texts into `.po`
files for translators, and compiles them to `.mo` files for Django.

Run as `python -m platform_site.site.publishing.languages messages` or `… compile`.
"""

from __future__ import annotations

import datetime
import io
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from babel.messages import extract, mofile, pofile
from babel.messages.catalog import Catalog
from babel.messages.plurals import get_plural
from django.apps import AppConfig
from django.utils.translation.template import templatize

from platform_site.settings.apps import added_apps
from platform_site.settings.configuration import APPLICATION_FOLDER, active

LANGUAGES: Final = ("de", "ru")
# Without these lines two catalogues of the same source are equal.
_NOBODY: Final = ""
_NEVER: Final = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
_KEYWORDS: Final = {
    **extract.DEFAULT_KEYWORDS,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
}
_WITHOUT_TEXTS: Final = {"locale", "migrations", "static", "tests", "__pycache__"}
_NO_LINE: Final = 0


@dataclass(frozen=True, slots=True)
class Domain:
    """A set of catalogues, one per language, and the folders of their texts."""

    folder: str
    sources: tuple[str, ...]

    def file(self, language: str, root: Path = APPLICATION_FOLDER) -> Path:
        """Return the catalogue of a language."""
        return root / self.folder / language / "LC_MESSAGES" / "django.po"


# Reusable apps have their own catalogues.
DOMAINS: Final = (
    Domain("importer/locale", ("importer",)),
    Domain("licensing/locale", ("licensing",)),
    Domain(
        "locale",
        ("platform_site", "catalogs", "documents", "demo", "templates"),
    ),
)


def extracted(domain: Domain, root: Path = APPLICATION_FOLDER) -> Catalog:
    """Return the texts of the sources, untranslated."""
    found = Catalog()
    for path in _sources(root / name for name in domain.sources):
        method: Any = "python" if path.suffix == ".py" else _of_template
        with path.open("rb") as file:
            texts = extract.extract(
                method, file, _KEYWORDS, comment_tags=("Translators:",)
            )
            where = path.relative_to(root).as_posix()
            for _line, message, comments, context in texts:
                found.add(
                    message,
                    locations=[(where, _NO_LINE)],
                    auto_comments=comments,
                    context=context,
                )
    return found


def updated(language: str, domain: Domain, root: Path = APPLICATION_FOLDER) -> Catalog:
    """Return a language's catalogue with exactly the texts of the sources."""
    path = domain.file(language, root)
    kept = read(path, language) if path.exists() else Catalog(locale=language)
    # A guessed translation of a changed sentence is worse than English.
    kept.update(extracted(domain, root), no_fuzzy_matching=True)
    kept.obsolete.clear()
    for message in kept:
        # A text that got a plural; its empty forms count as untranslated.
        message.flags.discard("fuzzy")
    return kept


def read(path: Path, language: str) -> Catalog:
    """Return a catalogue; raise ValueError for an invalid file."""
    with path.open("rb") as file:
        return pofile.read_po(file, locale=language, abort_invalid=True)


def write(catalog: Catalog, path: Path) -> None:
    """Write a sorted catalogue, with file names but without line numbers, names and
    dates."""
    body = io.BytesIO()
    pofile.write_po(
        body,
        catalog,
        omit_header=True,
        sort_output=True,
        include_lineno=False,
        width=88,
    )
    header = (
        'msgid ""\n'
        'msgstr ""\n'
        f'"Language: {catalog.locale}\\n"\n'
        '"MIME-Version: 1.0\\n"\n'
        '"Content-Type: text/plain; charset=UTF-8\\n"\n'
        '"Content-Transfer-Encoding: 8bit\\n"\n'
        f'"Plural-Forms: {get_plural(str(catalog.locale)).plural_forms}\\n"\n\n'
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    text = header + body.getvalue().decode().rstrip("\n") + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def compile_all(to: Path = APPLICATION_FOLDER) -> int:
    """Compile each changed catalogue into `to`; return their number.

    Raise ValueError with the file's name for an invalid one.
    """
    return sum(_compiled(domain, APPLICATION_FOLDER, to) for domain in DOMAINS)


def added_domains() -> Iterator[tuple[Domain, Path]]:
    """Yield the catalogues of the apps in Platform:Apps, each with its root."""
    for entry in added_apps(active()):
        app = Path(AppConfig.create(entry).path)
        yield Domain(f"{app.name}/locale", (app.name,)), app.parent


def _compiled(domain: Domain, root: Path, to: Path) -> int:
    done = 0
    for language in LANGUAGES:
        source = domain.file(language, root)
        target = domain.file(language, to).with_suffix(".mo")
        if source.exists() and not _is_newer(target, source):
            _compile(source, language, target)
            done += 1
    return done


def _compile(source: Path, language: str, target: Path) -> None:
    try:
        catalog = read(source, language)
    except (ValueError, pofile.PoFileError) as error:
        raise ValueError(f"The language file {source} is wrong: {error}") from error
    catalog.last_translator = catalog.language_team = _NOBODY
    catalog.creation_date = catalog.revision_date = _NEVER
    target.parent.mkdir(parents=True, exist_ok=True)
    compiled = io.BytesIO()
    mofile.write_mo(compiled, catalog)
    # Concurrent readers must find the old or the new file.
    making = target.with_suffix(f".{id(compiled)}.making")
    making.write_bytes(compiled.getvalue())
    making.replace(target)


def _is_newer(target: Path, source: Path) -> bool:
    return target.exists() and target.stat().st_mtime >= source.stat().st_mtime


def _sources(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".html") and not (
                _WITHOUT_TEXTS & set(path.relative_to(folder).parts)
            ):
                yield path


def _of_template(
    file: BinaryIO, keywords: Any, comment_tags: Any, options: Any
) -> Iterator[Any]:
    """Return the Python that Django makes of a template's texts."""
    # Everything but texts is replaced by letters; brackets avoid indentation errors.
    python = f"(\n{templatize(file.read().decode())}\n)"
    return extract.extract_python(
        io.BytesIO(python.encode()), keywords, comment_tags, {"encoding": "utf-8"}
    )


def main(arguments: list[str]) -> str:
    """Execute the command and return a sentence about the result."""
    ours = [(domain, APPLICATION_FOLDER) for domain in DOMAINS]
    added = list(added_domains())
    if arguments == ["compile"]:
        count = sum(_compiled(domain, root, root) for domain, root in (*ours, *added))
        return f"Language files compiled: {count}."
    if arguments != ["messages"]:
        raise SystemExit(__doc__)
    missing = sum(_gathered(domain, root) for domain, root in ours)
    sentences = [f"Language files written; texts without a translation: {missing}."]
    for domain, root in added:
        # The platform must be complete in every language; added apps may not be.
        if missing := _gathered(domain, root):
            name = domain.sources[0]
            sentences.append(f"Warning: {name} has {missing} without a translation.")
    return "\n".join(sentences)


def _gathered(domain: Domain, root: Path) -> int:
    """Write the catalogues of a domain; return the number of texts without a
    translation."""
    missing = 0
    for language in LANGUAGES:
        catalog = updated(language, domain, root)
        write(catalog, domain.file(language, root))
        missing += sum(not _is_translated(m.string) for m in catalog if m.id)
    return missing


def _is_translated(text: Any) -> bool:
    return bool(text) if isinstance(text, str) else bool(text) and all(text)


if __name__ == "__main__":
    print(main(sys.argv[1:]))  # noqa: T201 - a tool of the command line
