"""One run: who takes part (contenders), what a worker does, and where workers are (executors)."""
