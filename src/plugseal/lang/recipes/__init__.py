"""Files of tools that hold command lines: container builds, makefiles, CMake, Meson, units, launchers, locks.

`reader.py` is the door: one module finds the lines of each format, and the shell's reader reads them. No tool is
asked.
"""
