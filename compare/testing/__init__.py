"""Twofold in somebody's own tests: functions of Python as contenders, and boards as parameters of a
test.
"""
