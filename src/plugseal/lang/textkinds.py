"""Tables that name the language of a text by suffix, file name or interpreter.

The values are what users read after "no reader for"; `python javascript typescript json toml yaml` are readers' names.
"""

from __future__ import annotations

from typing import Final

from plugseal.patterns import lazy


def _table(text: str) -> dict[str, str]:
    """Read lines of `language: key key …`."""
    table = {}
    for line in text.strip().splitlines():
        language, _, keys = line.strip().partition(": ")
        table.update(dict.fromkeys(keys.split(), language))
    return table


LANGUAGES_BY_SUFFIX: Final = _table("""
    python: py pyw pyi pyx pxd wsgi xsh
    json: json jsonc json5 webmanifest geojson excalidraw sarif
    notebook: ipynb
    JSON lines: jsonl ndjson
    toml: toml
    yaml: yaml yml
    javascript: js mjs cjs jsx
    typescript: ts mts cts tsx
    shell: sh bash zsh ksh dash ash fish command bats zsh-theme ebuild eclass
    PowerShell: ps1 psm1 psd1
    batch: bat cmd
    Markdown: md mdc markdown
    MDX: mdx
    R Markdown: qmd rmd
    HTML: html htm xhtml
    component: vue svelte astro
    SVG: svg
    Ruby: rb rake gemspec
    Perl: pl pm t
    PHP: php phar
    Lua: lua
    Go: go
    Rust: rs
    C: c h cc cpp cxx hpp hh m mm
    Java: java kt kts groovy gradle scala
    C#: cs fs vb
    Swift: swift
    Elixir: ex exs
    R: r
    SQL: sql
    awk: awk gawk
    sed: sed
    XML: xml plist xsd drawio svgz csproj vbproj fsproj props targets nuspec xaml resx xlf
    stylesheet (XSL): xsl xslt
    plain text: txt rst adoc asciidoc log csv tsv text bib srt vtt po pot org css scss sass less proto graphql gql
    plain text: feature patch diff lcov typed in jmespath dot gv mplstyle pub
    TeX: tex sty cls ltx
    environment file: env
    configuration: ini cfg conf properties rules
    unit or launcher: service desktop timer socket
    Dockerfile: dockerfile containerfile
    Makefile: mk mak
    justfile: just
    time table: cron crontab
    template: j2 jinja jinja2 tmpl tpl hbs mustache ejs
    PDF: pdf
    office document: doc docx xls xlsx ppt pptx odt rtf
    Terraform: tf tfvars hcl
    Nix: nix
    Zig: zig
    Nim: nim nims nimble
    Tcl: tcl
    Dart: dart
    OCaml: ml mli
    Haskell: hs lhs
    Erlang: erl hrl
    Clojure: clj cljs cljc bb
    Julia: jl
    CoffeeScript: coffee litcoffee
    Crystal: cr
    GDScript: gd
    Haxe: hx
    Fortran: f90 f95 f03
    Pascal: pas
    Raku: raku rakumod
    Solidity: sol
    Emacs Lisp: el
    Vim script: vim
    Starlark: bzl star bazel
    Nushell: nu
    CUE: cue
    AppleScript: applescript
    Lisp: lisp scm rkt
    assembly: asm
    Odin: odin
    Vala: vala
    tmux settings: tmux
    path configuration: pth
    gyp: gyp gypi
    Meson wrap: wrap
""")

LANGUAGES_BY_NAME: Final = _table("""
    Dockerfile: dockerfile containerfile
    Makefile: makefile gnumakefile
    justfile: justfile .justfile
    Meson: meson.build meson.options meson_options.txt
    time table: crontab
    python: sconstruct sconscript wscript
    json: .prettierrc .babelrc .eslintrc
    Ruby: gemfile rakefile podfile vagrantfile brewfile guardfile dangerfile fastfile appfile berksfile
    Ruby: deliverfile matchfile puppetfile config.ru
    tmux settings: .tmux.conf tmux.conf
    shell: .envrc .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin
    shell: crushrc .crushrc .zlogout .kshrc .shrc .xprofile .xinitrc pkgbuild apkbuild configure gradlew mvnw
    Markdown: .cursorrules .windsurfrules .clinerules .roorules .kilocoderules .goosehints .continuerules .rules
    Markdown: .augment-guidelines .roomodes
    lock file: package-lock.json npm-shrinkwrap.json bun.lock composer.lock pipfile.lock deno.lock pnpm-lock.yaml
    lock file: yarn.lock gemfile.lock poetry.lock uv.lock pdm.lock cargo.lock pylock.toml
    plain text: license licence copying notice notices authors version changelog readme codeowners copyright
    plain text: contributors maintainers approved_contributors author_map allowed_signers known_hosts revoked_keys
    plain text: .gitignore .dockerignore .npmignore .prettierignore .eslintignore .gcloudignore .helmignore
    plain text: .cursorignore .geminiignore .mcpbignore
    plain text: .editorconfig .python-version .node-version .nvmrc .ruby-version .mailmap .gitkeep .keep
    plain text: go.sum py.typed
    go.mod: go.mod go.work
    pip settings: pip.conf pip.ini
    git submodules: .gitmodules
    builder's wrapper: gradle-wrapper.properties maven-wrapper.properties
    configuration: .gitattributes .npmrc .yarnrc .flake8 .coveragerc .pylintrc .wgetrc .curlrc .gitconfig
    environment file: .env
""")

LANGUAGES_BY_PATTERN: Final = (
    (
        lazy(
            r"(?:\A|/)(?:(?=(?:[\w.-]*[._-])?(?:requirements?|constraints)[._-])[\w.-]*|requirements/[^/]+)"
            r"\.(?:txt|in|pip)\Z"
        ),
        "requirements",
    ),
    (
        lazy(r"\A(?!\.|.*/\.)(?:.*/)?(?:conda[\w.-]*|environment(?:[._-][\w.-]*)?|[\w.-]+[._-]env)\.ya?ml\Z"),
        "conda environment",
    ),
    (lazy(r"(?:\A|/)cmakelists\.txt\Z|\.cmake(?:\.in)?\Z"), "CMake"),
    (lazy(r"\.(?:service|socket|timer|mount|swap|path|target|slice|scope)\.d/[^/]+\.conf\Z"), "unit or launcher"),
    (lazy(r"(?:\A|/)(?:polkit-1/rules\.d|rules\.d/polkit[^/]*)/[^/]+\.rules\Z"), "polkit rules"),
    (lazy(r"(?:\A|/)(?:udev/)?rules\.d/[^/]+\.rules\Z"), "udev rules"),
)
"""Shapes of paths, in lower case, that come before suffixes."""

LISTED: Final = lazy(rb"\A(?:(?:---|#)[^\n]*\n|\r?\n)*- \w")
"""A document of YAML that is a list."""
LANGUAGES_OF_YAML: Final = (
    (lazy(rb"(?m)^apiVersion:[ \t]*\S[^\n]*$"), lazy(rb"(?m)^kind:[ \t]*\S"), "Kubernetes"),
    (LISTED, lazy(rb"(?m)^(?:- |  )hosts:[ \t]*\S"), "playbook"),
)
"""Two lines that say whose a document of YAML is, under whatever name."""
LUA_OF_NGINX: Final = lazy(rb"_by_lua(?:_block|_file)?[ \t\n]|\bload_module[ \t]", needs=(b"_by_lua", b"load_module"))
"""What tells that settings are nginx's and hold more than settings."""
CHECKPOINT: Final = lazy(rb"plugseal/[0-9a-f]{16}/[0-9a-f]{64}/(?:reviews|runs)\n[0-9]{1,18}\n[A-Za-z0-9+/]{43}=\n")
"""How a file of checkpoints begins, under whatever name a team keeps it; the rest of it is read as text, too."""
OF_TASKS: Final = lazy(r"(?:\A|/)(?:tasks|handlers)/[^/]+\.ya?ml\Z")
"""Where Ansible looks for a role's tasks."""

LANGUAGES_BY_INTERPRETER: Final = _table("""
    python: python pypy uv pipx
    javascript: node nodejs deno bun
    typescript: ts-node tsx
    shell: sh bash zsh ksh dash ash fish mksh rbash bats
    PowerShell: pwsh powershell
    Ruby: ruby
    Perl: perl
    PHP: php
    Lua: lua luajit
    Makefile: make
    awk: awk gawk mawk nawk
    sed: sed gsed
    Tcl: tclsh wish expect
    R: rscript
    AppleScript: osascript
""")

READABLE: Final = frozenset(
    {
        *("python", "python-newer", "javascript", "typescript", "shell", "PowerShell", "batch", "SQL"),
        "AppleScript",
        *("Ruby", "Perl", "PHP", "PHP code", "Lua", "awk", "sed", "Kubernetes", "playbook", "builder's wrapper"),
        *("Dockerfile", "Makefile", "justfile", "unit or launcher", "time table", "requirements", "CMake", "gyp"),
        *("tmux settings", "udev rules", "nginx settings"),
        *("Meson", "Meson wrap", "lock file", "go.mod", "pip settings", "conda environment", "git submodules"),
        *("Markdown", "instructions", "MDX", "HTML", "SVG", "XML", "component", "notebook"),
        *("plain text", "configuration", "environment file", "TeX", "JSON lines"),
    }
)
"""The languages that have a reader: the names in `registry.py`, without the readers, for those who only ask."""

TEMPLATES: Final = frozenset("example sample dist default template tmpl orig bak old in".split())
"""Suffixes of files that stand for another one whose suffix comes before."""
