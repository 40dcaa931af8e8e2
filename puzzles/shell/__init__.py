"""What every command of a shell needs: arguments, streams, the end by Ctrl-C, and the commands of
both sides.
"""
