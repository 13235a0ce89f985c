"""Bad packages, in tables by the layer that has to notice them."""
