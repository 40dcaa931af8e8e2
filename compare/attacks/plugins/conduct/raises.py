"""A plugin that raises when it is imported is bad usage, with a sentence and exit status 2."""

raise RuntimeError("not today")
