"""`compare speed`: figures of speed, each measured in turn with a yardstick, kept in a file, compared with an older file."""
