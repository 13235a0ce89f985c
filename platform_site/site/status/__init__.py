"""What the site says about itself: whether it lives and is ready to serve."""

from __future__ import annotations
