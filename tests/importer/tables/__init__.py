"""Tables as sources of packages."""
