"""`manage.py start_module`: writes a new app to start from."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError
from django.core.management.templates import TemplateCommand

from importer.registry import targets
from platform_site.settings.configuration import active

_TEMPLATE: Final = Path(__file__).parents[1] / "module_template"


class Command(TemplateCommand):
    """Django's `startapp`, with a template that has a catalog and everything it
    needs."""

    help = "Writes an app with a catalog, to be added to the product by Platform:Apps."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments for name and folder."""
        parser.add_argument(
            "name", help="name of the app, in the plural, such as brands"
        )
        parser.add_argument(
            "--directory",
            type=Path,
            help="folder to write the app into; by default that of Platform:AppsPath",
        )
        parser.add_argument("--model", help="class of one row, such as Brand")

    def handle(self, *_arguments: Any, **options: Any) -> None:
        """Write the app and print what to do next."""
        name: str = options["name"]
        self.app_or_project = "app"
        self.a_or_an = "an"
        self.validate_name(name)
        catalog = "".join(word.capitalize() for word in name.split("_"))
        model = options["model"] or catalog.removesuffix("s")
        if not model.isidentifier() or model == catalog:
            raise CommandError(
                f"'{model}' can't be the class of a row of {catalog}; name one with "
                "--model."
            )
        if catalog in targets():
            raise CommandError(f"There is a catalog {catalog} already.")
        folder = (options["directory"] or active().apps_folder).absolute() / name
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            raise CommandError(
                f"{folder} exists already; nothing was written."
            ) from None
        words = name.replace("_", " ")
        super().handle(
            "app",
            name,
            str(folder),
            template=str(_TEMPLATE),
            extensions=["py", "json"],
            files=[],
            verbosity=options["verbosity"],
            catalog=catalog,
            model=model,
            model_name=model.lower(),
            title=words.capitalize(),
            many=words,
            one=words.removesuffix("s"),
        )
        self.stdout.write(
            f"Written: {folder}\nAdd it to the product with Platform__Apps__0={name}"
        )
