"""The modules that hidden checks import; the kit puts this folder, and no other, on their path."""
