"""Twofold in tests of users: functions of Python as contenders, and boards as parameters of a
test.
"""
