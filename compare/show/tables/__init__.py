"""Tables of typed cells: of a comparison, of growth, and of solvers on trial."""
