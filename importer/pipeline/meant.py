"""The code that was meant by one no row has. Nothing is asked before an object fails;
then it is a query or two for each such code, and only for the first of a run."""

from __future__ import annotations

from importer.package.suggestions import did_you_mean
from importer.pipeline.actor import Actor
from importer.pipeline.ports import Targets
from importer.pipeline.window import Window

_MOST_ASKED = 20
# Of so many rows all codes are compared; of more only those in another case.
_FEW = 2000


class MeantCodes:
    """The questions after the codes of a run that no row has, each made once."""

    def __init__(self, targets: Targets, actor: Actor) -> None:
        self._targets = targets
        self._actor = actor
        self._questions: dict[tuple[str, str], str] = {}

    def question(self, to: str, code: str, window: Window) -> str:
        """Return what to put behind the complaint of a code that no row has.

        It is empty where no code is like it. Who may not see the rows of a table is
        not told their codes.
        """
        if window.holders(to, self._targets[to].spec.code, code):
            return ""  # It is not the code that is wrong.
        what = (to, code)
        if what not in self._questions and len(self._questions) < _MOST_ASKED:
            may_view = self._targets[to].may_view(self._actor.user)
            known = self._known(to, code, window) if may_view else []
            self._questions[what] = did_you_mean(code, known)
        return self._questions.get(what, "")

    def _known(self, to: str, code: str, window: Window) -> list[str]:
        """Return the codes it may be: by now, as this run left them."""
        target = self._targets[to]
        name = target.spec.code
        # Counted with what a dry run planned, so that it decides like the real run.
        found = window.as_left(to, name, target.codes(_FEW + 1))
        if len(found) <= _FEW:
            return list(found.values())
        bare = code.strip()
        forms = [bare, bare.upper(), bare.lower(), bare.capitalize(), bare.title()]
        window.load_live(to, name, forms)
        return [form for form in forms if window.holders(to, name, form)]
