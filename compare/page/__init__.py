"""The web page: a board is drawn, and both sides answer.

A server on the loopback address; solving is the workers' job.
"""
