"""Invalid packages, in tables by the layer that must detect them."""
