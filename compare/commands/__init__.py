"""The subcommands: each module has `arguments(parser)` and `main(options) -> exit status`."""
