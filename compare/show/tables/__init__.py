"""Tables of typed cells: of a comparison, of solvers on trial, and of figures of speed."""
