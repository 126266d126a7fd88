"""Tables that name the language of a text by suffix, file name or interpreter.

The values are what users read after "no reader for"; `python json toml yaml` are readers' names.
"""

from __future__ import annotations

from typing import Final


def _table(text: str) -> dict[str, str]:
    """Read lines of `language: key key …`."""
    table = {}
    for line in text.strip().splitlines():
        language, _, keys = line.strip().partition(": ")
        table.update(dict.fromkeys(keys.split(), language))
    return table


LANGUAGES_BY_SUFFIX: Final = _table("""
    python: py pyw pyi pyx pxd wsgi xsh
    json: json jsonc json5 webmanifest geojson
    Jupyter notebooks: ipynb
    toml: toml
    yaml: yaml yml
    JavaScript: js mjs cjs jsx
    TypeScript: ts mts cts tsx
    shell: sh bash zsh ksh dash ash fish command bats
    PowerShell: ps1 psm1 psd1
    batch: bat cmd
    Markdown: md mdc mdx markdown qmd rmd
    HTML: html htm xhtml vue svelte astro
    SVG: svg
    Ruby: rb rake gemspec
    Perl: pl pm t
    PHP: php phar
    Lua: lua
    Go: go
    Rust: rs
    C: c h cc cpp cxx hpp hh m mm
    Java: java kt kts groovy gradle scala
    C#: cs csproj fs vb
    Swift: swift
    Elixir: ex exs
    R: r
    SQL: sql
    XML: xml plist xsd xsl
    CSS: css scss sass less
    plain text: txt rst adoc log csv tsv tex
    configuration: ini cfg conf env properties service desktop rules
    template: j2 jinja jinja2 tmpl tpl hbs mustache ejs
    PDF: pdf
    office document: doc docx xls xlsx ppt pptx odt rtf
    Protocol Buffers: proto
    GraphQL: graphql gql
    Terraform: tf tfvars hcl
    Nix: nix
    path configuration: pth
""")

LANGUAGES_BY_NAME: Final = _table("""
    Dockerfile: dockerfile containerfile
    Makefile: makefile gnumakefile justfile
    python: sconstruct sconscript wscript
    json: .prettierrc .babelrc .eslintrc
    Ruby: gemfile rakefile podfile vagrantfile brewfile
    shell: .envrc .bashrc .bash_profile .profile .zshrc .zshenv .zprofile configure gradlew
    plain text: license licence copying notice authors changelog readme codeowners
    configuration: .gitattributes .gitignore .gitmodules .npmrc .editorconfig .env .yarnrc .dockerignore .npmignore
""")

LANGUAGES_BY_INTERPRETER: Final = _table("""
    python: python pypy uv pipx
    JavaScript: node nodejs deno bun
    TypeScript: ts-node tsx
    shell: sh bash zsh ksh dash ash fish
    PowerShell: pwsh powershell
    Ruby: ruby
    Perl: perl
    PHP: php
    Lua: lua luajit
    Makefile: make
    awk: awk gawk mawk
    Tcl: tclsh wish expect
    R: rscript
""")
