"""Environment programs made from task collections: each holds its instances and its scorer; playing needs none."""
