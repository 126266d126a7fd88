"""Files of tools that hold command lines of a shell: container builds, makefiles, units and launchers, time tables."""
