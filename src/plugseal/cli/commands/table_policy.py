"""The commands of policies as data: those of CI, and those that write and explain a policy."""

from __future__ import annotations

from typing import Final

from plugseal.cli.commands.options import SIGNING
from plugseal.cli.parser import Argument, Command, Option

_OUTPUT: Final = Option(("-o", "--output"), "write the result to a file instead of standard output", "FILE")
_FORMAT: Final = Option(("--format",), "how to print the result", "FORMAT", ("text", "json"))

POLICY_COMMANDS: Final = (
    Command(
        "check",
        "judge a repository by a team's policy",
        "Every plugin and every finding at PATH, and signed reviews where the policy asks for them. With --base the "
        "policy, its exceptions, keys and older reviews are those of that revision, and what the change loosens is "
        "named. A policy that lies in PATH and was not named may only ask for more. Ends with 1 if anything fails, "
        "with 4 if something could not be judged.",
        (Argument("PATH", "the repository", "."),),
        (
            Option(("--policy",), "the policy; with --base its path in that revision; default `plugseal.toml`", "FILE"),
            Option(("--base",), "the revision to judge by: a full object ID, or a name below `refs/`", "REVISION"),
            Option(("--baseline",), "a file of accepted findings; with --base its path in that revision", "FILE"),
            Option(
                ("--write-baseline",), "accept all findings of now, write them to a file, and judge nothing", "FILE"
            ),
            _FORMAT._replace(choices=("text", "json", "sarif", "html", "markdown", "github")),
            _OUTPUT,
            Option(("--exit-zero",), "end with 0 in spite of what fails or could not be judged"),
        ),
        (
            ("plugseal check . --policy ../team/plugseal.toml", "by a policy outside the repository"),
            ("plugseal check . --base 0123…cdef --format github", "a pull request by the policy that it starts from"),
        ),
    ),
    Command(
        "policy new",
        "write a first policy from what the plugins can do now",
        "Prints a policy that allows what the plugins at PATH can do now, for you to read and to tighten. It is "
        "a first draft and no judgement.",
        (Argument("PATH", "the repository", "."),),
        (_OUTPUT,),
        (("plugseal policy new . -o plugseal.toml", "a first draft"),),
    ),
    Command(
        "policy explain",
        "say why a plugin passes or fails a policy",
        "Prints every objection with the line of the policy that it rests on. It shows; it does not judge.",
        (Argument("PATH", "the repository, or one plugin", "."),),
        (Option(("--policy",), "the policy; default `plugseal.toml` at PATH", "FILE"), _FORMAT),
    ),
    Command(
        "policy test",
        "run the examples of a policy",
        "Each `[[example]]` names a plugin and a capability and what the policy must say. Ends with 1 if it says "
        "something else.",
        (Argument("FILE", "the policy", "plugseal.toml"),),
    ),
    Command(
        "policy sign",
        "sign a change of the policy and of the team's keys",
        "For `check --base`: a change that loosens what it is judged by passes where as many people sign it as the old "
        "policy wants, by the old keys, and as many as the new one wants, by the new. The signature lies in "
        "`plugseal-rotation` beside the policy, and holds for exactly this change.",
        (Argument("PATH", "the repository, as changed", "."),),
        (
            Option(("--base",), "the revision that it changes: a full object ID, or a name below `refs/`", "REVISION"),
            Option(("--policy",), "the policy's path in the repository; default `plugseal.toml`", "FILE"),
            *SIGNING,
        ),
        (("plugseal policy sign . --base 0123…cdef --key dana.key", "sign the change that lies here"),),
    ),
    Command(
        "policy pin",
        "make the gate ask for what a policy says",
        "The policy is checked and kept below the state folder, where no workspace reaches it. With --system it is "
        "root's, in /etc/plugseal, and binds every user; where there are both, the stricter holds. Where it asks for "
        "signed reviews, the keys of the team are kept beside it, and the folder of the receipts is noted. What was "
        "seen in it before still counts: a refusal that is gone refuses.",
        (Argument("FILE", "the policy, in TOML"),),
        (
            Option(("--system",), "for every user of this machine; needs root"),
            Option(("--team",), "the folder of the team; default as the policy says, beside it", "FOLDER"),
            Option(("--reviews",), "the folder of the receipts; default as the policy says, beside it", "FOLDER"),
            Option(("--anew",), "forget the receipts that were seen before: after their folder was rewritten"),
        ),
    ),
    Command(
        "guard",
        "print rules that keep an agent from trusting plugins by itself",
        "For the settings of Claude Code, Codex, Gemini CLI and Cursor: `trust`, `enable`, `key`, `receipt sign` and "
        "what else only a person shall type. Such rules are no wall; the threat model says what is.",
        (),
        (Option(("--client",), "print one client's rules alone", "NAME"), _OUTPUT),
    ),
    Command(
        "completion",
        "print completion for bash, zsh or fish",
        "Made from the table of commands: words of ours and files, nothing of a tree.",
        (Argument("SHELL", "bash, zsh or fish"),),
        (_OUTPUT,),
        (("plugseal completion bash > ~/.local/share/bash-completion/completions/plugseal", "for bash"),),
    ),
)
"""Where one stands in the order of help: after what changes state, before what shows trails."""
