"""2-SAT, and the parts of the other algorithms of `direct`."""
