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
    command -v ssh-keygen >/dev/null 2>&1 || missing="$missing openssh-client"
    command -v openssl >/dev/null 2>&1 || missing="$missing openssl"
    command -v git >/dev/null 2>&1 || missing="$missing git"
    command -v npm >/dev/null 2>&1 || missing="$missing nodejs npm"
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        # shellcheck disable=SC2086  # a list of package names
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y $missing >/dev/null 2>&1 ||
            { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y $missing >/dev/null; }
    else
        echo "note: missing$missing; the tests that need them are skipped" >&2
    fi
}

# install_sigstore: the npm package that verifies our bundles, in a cache folder outside the checkout.
install_sigstore() {
    sigstore="${PLUGSEAL_TEST_NODE_MODULES:-${XDG_CACHE_HOME:-$HOME/.cache}/plugseal-tests/sigstore-3.1.1/node_modules}"
    [ -d "$sigstore/@sigstore/verify" ] && return 0
    command -v npm >/dev/null 2>&1 || { echo "note: npm is missing; the test with @sigstore/verify is skipped" >&2; return 0; }
    mkdir -p "${sigstore%/node_modules}"
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix "${sigstore%/node_modules}" \
        @sigstore/verify@3.1.1 @sigstore/bundle@4.0.0 ||
        echo "note: @sigstore/verify can't be installed; the test with it is skipped" >&2
}

# install_erasers: the npm packages whose erasing of TypeScript's types ours is compared with, outside the checkout.
install_erasers() {
    erasers="${PLUGSEAL_TEST_ERASERS:-${XDG_CACHE_HOME:-$HOME/.cache}/plugseal-tests/erasers-2026.11}"
    [ -e "$erasers/complete" ] && return 0
    command -v npm >/dev/null 2>&1 || { echo "note: npm is missing; the tests with erasers are skipped" >&2; return 0; }
    mkdir -p "$erasers"
    npm install --silent --no-audit --no-fund --ignore-scripts --no-bin-links --prefix "$erasers" \
        ts-blank-space@0.9.0 amaro@1.1.5 typescript@5.9.3 && touch "$erasers/complete" ||
        echo "note: the erasers can't be installed; the tests with them are skipped" >&2
}

# install_servers: published MCP servers and the official SDK's client, in a cache folder outside the checkout, by the
# versions whose transcripts stand in docs/guide/real-servers.md. Call it after make_venv: the packages are of its Python.
install_servers() {
    tag=$(.venv/bin/python -c 'import sys; print(sys.implementation.cache_tag)')
    servers="${PLUGSEAL_TEST_SERVERS:-${XDG_CACHE_HOME:-$HOME/.cache}/plugseal-tests/servers-2026.10-$tag}"
    [ -e "$servers/complete" ] && return 0
    command -v npm >/dev/null 2>&1 || { echo "note: npm is missing; the tests with real servers are skipped" >&2; return 0; }
    rm -rf "$servers"
    mkdir -p "$servers/npm" "$servers/pypi"
    pip="-m pip install --quiet --disable-pip-version-check --no-compile"
    # shellcheck disable=SC2086  # a list of options
    npm install --silent --no-audit --no-fund --ignore-scripts --no-bin-links --prefix "$servers/npm" \
        @modelcontextprotocol/server-filesystem@2026.8.31 @modelcontextprotocol/server-everything@2026.8.31 \
        @modelcontextprotocol/server-memory@2026.8.31 &&
        .venv/bin/python $pip --target "$servers/pypi/lib" mcp-server-time==2026.10.19 mcp-server-git==2026.10.19 mcp==2.3.0 &&
        .venv/bin/python $pip --target "$servers/sdk" mcp==2.3.0 &&
        rm -rf "$servers/pypi/lib/bin" "$servers/npm/package.json" "$servers/npm/package-lock.json" &&
        touch "$servers/complete" ||
        echo "note: the published servers can't be installed; the tests with them are skipped" >&2
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
stage "Sigstore's npm package" install_sigstore
stage "erasers of types" install_erasers
stage "published MCP servers" install_servers
[ ! -e tests/interpreters.sh ] || stage "other Pythons" sh tests/interpreters.sh
