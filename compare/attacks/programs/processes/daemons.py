"""What a program leaves running in sessions of its own is killed when it ends."""

import os
import subprocess
import sys

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)", os.environ["TWOFOLD_ATTACK"]]
DETACH = [sys.executable, "-c", "import subprocess, sys; subprocess.Popen(sys.argv[1:], start_new_session=True)"]

words = [*DETACH, *SLEEP] if sys.argv[1] == "grandchild" else SLEEP
subprocess.Popen(words, start_new_session=True, env={} if sys.argv[1] == "clean" else None)
