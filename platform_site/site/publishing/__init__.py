"""The folder that is copied to a server: the product with its libraries, files for
browsers, a launcher, and a list of checksums. Not part of that folder itself."""

from __future__ import annotations
