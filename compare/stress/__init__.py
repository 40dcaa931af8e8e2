"""Any two programs: inputs of a generator go to both, and the smallest input on which they differ
is sought.
"""
