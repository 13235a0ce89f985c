"""The demo company: an embedded package and demo users."""
