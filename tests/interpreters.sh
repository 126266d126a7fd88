#!/bin/sh
# Make .venvs/<version> with plugseal in it for every Python from 3.10 up that this machine has, for
# tests/differential/test_interpreters.py. What can't be made is named and left out; what is there is kept.
set -eu
cd "$(dirname "$0")/.."
stamp=$(cksum <pyproject.toml)

candidates() {
    for minor in 10 11 12 13 14 15; do
        command -v "python3.$minor" || true
        ls -d "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$minor."*/bin/python /opt/python/3."$minor"*/bin/python 2>/dev/null || true
    done
    ls /usr/bin/python3 /usr/local/bin/python3 2>/dev/null || true
}

candidates | while read -r python; do
    version=$("$python" -I -c 'import sys; v = sys.version_info; print(f"{v[0]}.{v[1]}" if v >= (3, 10) else "")' 2>/dev/null) || continue
    [ -n "$version" ] || continue
    home=.venvs/$version
    if [ -x "$home/bin/python" ] && [ "$(cat "$home/stamp" 2>/dev/null)" = "$stamp" ]; then
        continue
    fi
    rm -rf "$home"
    mkdir -p .venvs
    if "$python" -m venv "$home" >.venvs/log 2>&1 </dev/null &&
        "$home/bin/python" -m pip install --quiet --disable-pip-version-check --editable . >>.venvs/log 2>&1 </dev/null; then
        printf '%s\n' "$stamp" >"$home/stamp"
        echo "Python $version: ready"
    else
        rm -rf "$home"
        echo "note: Python $version ($python) is left out: $(tail -n 1 .venvs/log)" >&2
    fi
done
