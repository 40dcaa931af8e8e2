"""How a search moves among the instances of a puzzle: random ones near known ones, and smaller ones."""
