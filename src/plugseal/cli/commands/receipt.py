"""`plugseal receipt sign`, `verify`, `show` and `export`: signed reviews that other people's tools verify."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from plugseal.cli.exits import NO, YES
from plugseal.cli.output import Result, Screen, wants_color
from plugseal.cli.settings import format_of
from plugseal.errors import UsageError

if TYPE_CHECKING:
    from plugseal.model.look import Look
    from plugseal.model.statement import Judgement
    from plugseal.verbs.receipts.sign import SigningKey
    from plugseal.verbs.receipts.team import Team


def run_sign(arguments: argparse.Namespace) -> int:
    """Sign a review and write the receipt.

    Raises:
        PlugsealError: as `sign_look` and `sign_again`.
    """
    from pathlib import Path

    from plugseal.model.statement import Decision
    from plugseal.render.receipt import render_written
    from plugseal.verbs.receipts.folder import FOLDER, read_file, read_receipt
    from plugseal.verbs.receipts.sign import Wish, sign_again, sign_look
    from plugseal.verbs.receipts.team import find_optional_team

    key = signing_key(arguments)
    if arguments.dsse and arguments.sshsig:
        raise UsageError("`--dsse` and `--sshsig` are two ways to sign: choose one")
    policy = None if arguments.policy is None else read_file(Path(arguments.policy), max_bytes=1 << 20)
    wish = Wish(
        decision=Decision(arguments.decision),
        reviewer=arguments.reviewer or "",
        audience=arguments.audience,
        days=_number(arguments.days, "--days"),
        policy=policy,
        dsse=True if arguments.dsse else False if arguments.sshsig else None,
    )
    team = find_optional_team(arguments.team)
    reviews = Path(arguments.reviews or FOLDER)
    named = Path(arguments.plugin)
    if named.name.endswith(".dsse.json"):
        written = sign_again(read_receipt(named).data, key, wish, reviews=reviews, team=team)
    else:
        written = sign_look(_look(arguments), key, wish, reviews=reviews, team=team)
    with Result() as stream:
        screen = Screen(stream, color=wants_color(stream, arguments.color))
        screen.hang(render_written(str(written.path), written.signed.keyid, written.signed.statement))
    return YES


def run_verify(arguments: argparse.Namespace) -> int:
    """Verify one receipt, a folder, or a repository; 1 where something does not hold.

    Raises:
        PlugsealError: as the verbs.
    """
    from plugseal.render.receipt import next_of_judgement, render_judgement, render_verification
    from plugseal.render.text import Piece, line
    from plugseal.verbs.receipts.team import find_team, judged_by, verify_pin

    form = format_of(arguments)
    threshold = None if arguments.threshold is None else _number(arguments.threshold, "--threshold")
    team = find_team(key=arguments.key, team=arguments.team, threshold=threshold)
    if arguments.pin is not None:
        verify_pin(team, arguments.pin)
    by = judged_by(team, key=arguments.key, folder=arguments.team, where=arguments.receipts)
    # Paths stay text where one receipt is verified: pathlib takes a tenth of the time.
    is_one = os.path.isfile(arguments.receipts)  # noqa: PTH113
    judged = _judge_one(arguments, team) if is_one else _judge_many(arguments, team)
    result = Result(arguments.output)
    with result as stream:
        if form == "json":
            from plugseal.render.receipt_json import render_verification_json

            stream.writelines(render_verification_json(judged, by))
            return YES if judged.holds else NO
        lines = list(render_verification(judged.verifications[0]) if is_one else render_judgement(judged, by))
        screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
        command = None if arguments.quiet else next_of_judgement(judged, arguments.plugin)
        screen.hang((lines[:1] if is_one else lines[-1:]) if arguments.quiet else lines)
        screen.write([line("next: ", Piece(f"`{command}`", "command"))] if command else [])
    return YES if judged.holds else NO


def run_show(arguments: argparse.Namespace) -> int:
    """Print what a receipt says.

    Raises:
        PlugsealError: as `open_receipt`.
    """
    from pathlib import Path

    from plugseal.render.receipt import render_statement_lines
    from plugseal.render.receipt_json import render_statement_json
    from plugseal.verbs.receipts.export import digest_of, is_ssh, open_receipt

    form = format_of(arguments)
    envelope, statement = open_receipt(Path(arguments.receipt))
    result = Result(arguments.output)
    with result as stream:
        if form == "json":
            digest = digest_of(envelope)
            stream.writelines(render_statement_json(statement, envelope.keyid, digest, is_ssh=is_ssh(envelope)))
        else:
            screen = Screen(stream, color=wants_color(stream, result.color(arguments.color)))
            screen.hang(render_statement_lines(statement, envelope.keyid, is_ssh=is_ssh(envelope)))
    return YES


def run_export(arguments: argparse.Namespace) -> int:
    """Print a receipt in another form.

    Raises:
        PlugsealError: as `export_receipt`.
    """
    from pathlib import Path

    from plugseal.verbs.receipts.export import export_receipt

    wants_key = arguments.key is not None or arguments.agent is not None
    key = signing_key(arguments) if wants_key else None
    data = export_receipt(Path(arguments.receipt), getattr(arguments, "as"), key=key)
    with Result(arguments.output) as stream:
        # Text layers may translate line ends; a signature needs the bytes.
        stream.flush()
        stream.buffer.write(data)
    return YES


def _judge_one(arguments: argparse.Namespace, team: Team) -> Judgement:
    from plugseal.model.statement import Judgement
    from plugseal.verbs.receipts.verify import verify_receipt

    if arguments.since is not None:
        raise UsageError("`--since` compares folders of receipts, not one receipt")
    look = _look(arguments) if arguments.plugin else None
    one = verify_receipt(arguments.receipts, team=team, look=look)
    return Judgement((one,), one.receipts)


def _judge_many(arguments: argparse.Namespace, team: Team) -> Judgement:
    from pathlib import Path

    from plugseal.verbs.receipts.folder import FOLDER, existing
    from plugseal.verbs.receipts.verify import verify_folder, verify_repository

    where = existing(Path(arguments.receipts))
    before = None if arguments.since is None else existing(Path(arguments.since))
    if arguments.plugin:
        return verify_folder(where, team=team, look=_look(arguments), before=before)
    if (where / FOLDER).is_dir():
        from plugseal.verbs.receipts.looks import look_at_all

        return verify_repository(where, team=team, looks=look_at_all(where), before=before)
    return verify_folder(where, team=team, before=before)


def _look(arguments: argparse.Namespace) -> Look:
    from plugseal.cli.commands.looking import look_at

    return look_at(arguments)


def signing_key(arguments: argparse.Namespace) -> SigningKey:
    """Return the key that options name, and no other.

    Raises:
        PlugsealError: none is named, or it can't be used.
    """
    from pathlib import Path

    from plugseal.cli.commands.key import passphrase_of
    from plugseal.verbs.receipts.sign import open_agent_key, open_file_key

    if arguments.key is not None and arguments.agent is not None:
        raise UsageError("`--key` and `--agent` are two keys: choose one")
    if arguments.key is not None:
        return open_file_key(Path(arguments.key), passphrase_of(arguments))
    if arguments.agent is not None:
        return open_agent_key(arguments.agent)
    raise UsageError(
        "no key was named, and none is made",
        hint="name one with `--key KEY` or `--agent NAME`; make one with `plugseal key new NAME`",
    )


def _number(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= len(text) <= 6 and int(text) >= 1):
        raise UsageError(f"`{name}` needs a whole number from 1 to 999999")
    return int(text)


RUNS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "receipt sign": run_sign,
    "receipt verify": run_verify,
    "receipt show": run_show,
    "receipt export": run_export,
}
