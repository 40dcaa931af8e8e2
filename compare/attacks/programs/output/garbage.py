"""Output that is no answer is a row ERROR that names the place in it."""

import os
import sys

OUTPUTS = {
    "nothing": b"",
    "words": b"I do not know\n",
    "zeros": bytes(1000),
    "bytes": bytes(range(256)) * 99,
    "digits": "Case #١: IMPOSSIBLE\n".encode(),
    "half": b"Case #1: POSSIBLE\n",
    "other-board": b"Case #1: POSSIBLE\n|\n",
    "wide": b"Case #1: POSSIBLE\n" + b"." * 10**6,
    "tall": b"Case #1: POSSIBLE\n" + b".-.\n" * 10**5,
}

os.write(1, OUTPUTS[sys.argv[1]][: 2**20])
