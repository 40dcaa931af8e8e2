"""Attacks on `compare run`: hostile programs, plugins and solvers, each with the promise that it tries to break.

`gallery` lists them, `playing` plays one by the real command line. The files under `programs`, `plugins` and `solvers` begin with
their promise. None of them does anything unless `playing` has started it: they need the folder that it names in `TWOFOLD_ATTACK`.
Each ends by itself after a while, so that nothing stays even where a promise is broken.
"""
