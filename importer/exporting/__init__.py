"""The export of rows as a package, which an import takes back without a change.

``selection`` says which rows, ``arrangement`` their order, ``identities`` their
``$id``, ``objects`` turns them into objects, and ``writing`` into a file.
"""

from __future__ import annotations
