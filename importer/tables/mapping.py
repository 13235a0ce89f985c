"""A proposal of which column is which property, by the names of both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher

from importer.package.fields import FieldKind, TargetSpec
from importer.package.step_kinds import DICTIONARY
from importer.tables.description import field_of, property_names
from importer.tables.usual_words import DOUBTFUL, OF_DOCUMENTS, OF_ROWS

Labels = Mapping[str, Iterable[str]]
"""What people call a property, in several languages."""
_CODE_OF, _EXACT, _LABEL, _WORD, _ALIKE = 5.0, 4.0, 3.0, 2.0, 1.0
_DOUBTFUL = {"name": 1.5, "code": 1.4}
_LIKE_ENOUGH = 0.84
_CODE, _NAME, _DESCRIPTION = "code", "name", "description"
# Shorter words resemble others by chance.
_SHORTEST = 5
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BRACKETS = re.compile(r"[(\[{].*?[)\]}]")
_CURRENCY = re.compile(
    r"\b(?:eur|usd|rub|chf|gbp|\u0440\u0443\u0431)\b|[€$£₽]", re.IGNORECASE
)


def code_header(name: str) -> str:
    """Return the header above the codes of a reference in an exported list, such as
    ``unitOfMeasure.code``."""
    return f"{name.removesuffix('Id')}.{_CODE}"


def words_of(text: str) -> str:
    """Return the words of a name in lower case, without what is in brackets."""
    plain = _BRACKETS.sub(" ", text)
    plain = plain if plain.strip() else text
    plain = re.sub(r"[\W_]+", " ", _CAMEL.sub(" ", plain).casefold())
    plain = plain.replace("\u0451", "\u0435")  # the Russian letter is often written so
    return " ".join(plain.split())


class PropertyNames:
    """The names by which columns may mean the properties of a target."""

    def __init__(self, spec: TargetSpec, labels: Labels) -> None:
        self._names: dict[str, dict[str, float]] = {}
        of_rows = spec.kind == DICTIONARY.key
        usual = OF_ROWS if of_rows else OF_DOCUMENTS
        for name in property_names(spec):
            known = self._names[name] = {}
            own = name.rpartition(".")[2]
            for word in DOUBTFUL.get(own, ()) if of_rows else ():
                known[words_of(word)] = _DOUBTFUL[own]
            for word in usual.get(own, ()):
                known[words_of(word)] = _WORD
            for label in labels.get(name, ()):
                known[words_of(label)] = _LABEL
            spelled = words_of(own)
            known[spelled] = known[spelled.removesuffix(" id")] = _EXACT
            known[words_of(name)] = _EXACT
            if field_of(spec, name).kind is FieldKind.REFERENCE:
                # Exported lists have the codes of references beside their keys.
                known[words_of(code_header(name))] = _CODE_OF

    @property
    def all(self) -> frozenset[str]:
        """Return all names of all properties."""
        return frozenset(name for known in self._names.values() for name in known)

    def scores(self, header: str) -> dict[str, float]:
        """Return how well each property fits a header, without those that don't."""
        wanted = words_of(header)
        bare = words_of(_CURRENCY.sub(" ", header))
        return {
            name: score
            for name, known in self._names.items()
            if (score := max(_score(wanted, known), _score(bare, known)))
        }

    def proposed(
        self,
        headers: Sequence[str],
        plausible: Callable[[int, str], bool] = lambda place, name: True,
    ) -> dict[int, str]:
        """Return the property of each column that has one, by its place.

        The best pair is taken first; each property and column is taken once, and only
        if the cells of the column can be values of the property.
        """
        pairs = [
            (-score, place, name)
            for place, header in enumerate(headers)
            for name, score in self.scores(header).items()
            if plausible(place, name)
        ]
        found: dict[int, str] = {}
        for _worse, place, name in sorted(pairs):
            if place not in found and name not in found.values():
                found[place] = name
        return self._with_name(found, headers)

    def _with_name(
        self, found: dict[int, str], headers: Sequence[str]
    ) -> dict[int, str]:
        """Return the proposal with a name, which every row needs: a list of numbers and
        descriptions means names by these."""
        if _NAME not in self._names or _DESCRIPTION not in found.values():
            return found
        places = {name: place for place, name in found.items()}
        named = places.get(_NAME)
        if named is None:
            return {**found, places[_DESCRIPTION]: _NAME}
        doubtful = self.scores(headers[named])
        if _CODE not in places and doubtful.get(_CODE) == _DOUBTFUL[_CODE]:
            return {**found, places[_DESCRIPTION]: _NAME, named: _CODE}
        return found


def _score(wanted: str, known: Mapping[str, float]) -> float:
    if not wanted:
        return 0.0
    if wanted in known:
        return known[wanted]
    if len(wanted) < _SHORTEST:
        return 0.0
    alike = max(
        (_likeness(wanted, word) for word in known if len(word) >= _SHORTEST),
        default=0.0,
    )
    return alike if alike >= _LIKE_ENOUGH else 0.0


def _likeness(one: str, other: str) -> float:
    together = one.replace(" ", ""), other.replace(" ", "")
    if together[0] == together[1]:
        return _ALIKE
    return SequenceMatcher(None, *together).ratio()
