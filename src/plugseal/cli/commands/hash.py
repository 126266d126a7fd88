"""`plugseal hash`: the receipts of a tree, or the manifest that they are made from."""

from __future__ import annotations

import argparse

from plugseal.cli.exits import YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.progress import Progress
from plugseal.cli.settings import format_of
from plugseal.render.hash import render_receipts, render_receipts_json
from plugseal.verbs.hash import build_path_manifest, hash_path
from plugseal.verbs.select import select


def run(arguments: argparse.Namespace) -> int:
    """Print receipts or a manifest; the exit code is 0 once they are printed.

    Raises:
        PlugsealError: as `hash_path`.
    """
    form, selection = format_of(arguments), select(arguments.plugin)
    path = selection.path
    result = Result(arguments.output)
    if arguments.manifest:
        with Progress(quiet=arguments.quiet, verbose=arguments.verbose) as progress:
            means = selection.means if selection.system else None
            manifest = build_path_manifest(path, means=means, on_progress=progress.update)
        with result as stream:
            # Text layers may translate line ends; a hash needs the bytes.
            stream.buffer.write(manifest)
        return YES
    with Progress(quiet=arguments.quiet, verbose=arguments.verbose) as progress:
        receipts = hash_path(path, means=selection.means, is_named=bool(selection.system), on_progress=progress.update)
    with result as stream:
        if form == "json":
            stream.writelines(render_receipts_json(receipts))
        elif arguments.quiet:
            stream.write(receipts.content + "\n")
        else:
            color = wants_color(stream, result.color(arguments.color))
            Screen(stream, color=color).hang(render_receipts(receipts))
    return YES
