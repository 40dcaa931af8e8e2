"""Faulty SAT solvers as a program: `program.py FAULT FORMULA`.

The fault shows on one formula in five, by a checksum of all but the comments.
"""

import os
import signal
import sys
import time
from pathlib import Path
from zlib import crc32

from pysat.formula import CNF
from pysat.solvers import Cadical153

fault, path = sys.argv[1:]
text = Path(path).read_text()
solver = Cadical153(bootstrap_with=CNF(from_string=text).clauses)
satisfiable = solver.solve()
model = solver.get_model() or []
said = "".join(line for line in text.splitlines() if not line.startswith("c"))
if crc32(said.encode()) % 5 == 0:
    match fault:
        case "wrong-lines":
            model = [-literal for literal in model]
        case "no-lines":
            model = []
        case "no-verdict":
            sys.exit(0)
        case "signal":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "hangs":
            time.sleep(3600)
print("s SATISFIABLE" if satisfiable else "s UNSATISFIABLE")
if satisfiable:
    print("v", *model, 0)
sys.exit(10 if satisfiable else 20)
