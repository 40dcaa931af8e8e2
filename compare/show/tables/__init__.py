"""Tables of typed cells: of a comparison, and of growth."""
