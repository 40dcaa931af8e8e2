"""What commands cost, and races with other packages:

`python -m benchmarks.commands`, `python -m benchmarks.races`.
"""
