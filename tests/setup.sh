# Make what the tests need: Debian packages (when root), `.venv` with plugseal and its development tools, and one more
# environment for each further Python that the machine has. Sourced by `tests/run` and `.ci/run` from the checkout's root.

# stage NAME COMMAND...: run a command and say how long it took.
stage() {
    stage_name=$1
    shift
    stage_start=$(date +%s)
    "$@"
    echo "stage: $stage_name took $(($(date +%s) - stage_start)) s"
}

# install_debian: what tests call that pip can't bring; a machine without apt-get or root goes on, and the tests that
# miss a program say so.
install_debian() {
    missing=""
    command -v strace >/dev/null 2>&1 || missing="$missing strace"
    command -v setpriv >/dev/null 2>&1 || missing="$missing util-linux"
    command -v cc >/dev/null 2>&1 || missing="$missing gcc libc6-dev"
    [ -e /usr/bin/python3 ] || missing="$missing python3"
    "${PYTHON:-python3}" -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
    [ -e /usr/include/openssl/sha.h ] || missing="$missing libssl-dev"
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        # shellcheck disable=SC2086  # a list of package names
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y $missing >/dev/null 2>&1 ||
            { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y $missing >/dev/null; }
    else
        echo "note: missing$missing; the tests that need them are skipped" >&2
    fi
}

# make_venv: `.venv`, made again when pyproject.toml changed.
make_venv() {
    stamp=.venv/.plugseal-$(cksum <pyproject.toml | cut -d' ' -f1)
    [ -e "$stamp" ] && return 0
    [ -x .venv/bin/python ] || "${PYTHON:-python3}" -m venv .venv
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
    touch "$stamp"
}

stage "Debian packages" install_debian
stage "virtual environment" make_venv
[ ! -e tests/interpreters.sh ] || stage "other Pythons" sh tests/interpreters.sh
