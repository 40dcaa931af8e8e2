"""What a plugin gives crosses between processes as plain data: loading plugins, and reading their
answers.
"""
