"""A measure of fuzzing and of the checks: how many small defects, planted one at a time, each of
them notices.
"""
