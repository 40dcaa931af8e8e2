"""What commands cost, and races with other packages; `python -m benchmarks.all` measures all of it
for the pages.
"""
