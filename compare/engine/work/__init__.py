"""One run: who takes part (contenders), what a worker does, who keeps the workers (pool), and how
plugins answer (foreign).
"""
