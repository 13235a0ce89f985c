"""The catalogs of the configuration ``Trade``: what documents refer to."""
