"""Authors and books, with plain models and plain serializers."""
