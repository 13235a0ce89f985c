"""How dates and times are written, where Django's own form of a language does not serve."""
