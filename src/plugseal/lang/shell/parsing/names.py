"""Names that a shell itself knows: its commands, its variables, and what its environment means to others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from plugseal.model.variables import NAMES
from plugseal.patterns import lazy

BUILTINS: Final = frozenset(
    """
    : . [ [[ alias autoload bg bind break builtin caller case cd command compgen complete compopt continue coproc
    declare dirs disown do done echo elif else emulate enable esac eval exec exit export false fc fg fi float for
    function functions getopts hash help history if in integer jobs kill let limit local logout mapfile noglob popd
    print printf pushd pwd read readarray readonly rehash return select set setopt shift shopt source suspend test
    then time times trap true type typeset ulimit umask unalias unfunction unhash unset unsetopt until wait whence
    where while zcompile zmodload zparseopts zstyle zle bindkey compdef vared zformat sched ztcp zsocket zftp zselect
    abbr argparse begin block contains count emit end fish_config funced funcsave math not and or random realpath_
    set_color status string switch
    """.split()
)
"""Commands that start no program. `echo`, `printf`, `test`, `kill` and `[` are programs too: a shell uses its own."""

COMPLETIONS: Final = frozenset(
    """
    _alternative _arguments _all_labels _combination _command_names _default _describe _directories _dispatch _files
    _gnu_generic _guard _hosts _message _multi_parts _next_label _normal _options _parameters _path_files _pids
    _process_names _regex_arguments _regex_words _requested _sep_parts _sequence _store_cache _retrieve_cache
    _cache_invalid _tags _urls _users _values _wanted _init_completion _comp_initialize _filedir _known_hosts
    _get_comp_words_by_ref __ltrim_colon_completions compadd comparguments compdescribe compfiles compgroups compquote
    comptags comptry compvalues
    """.split()
)
"""Functions that a shell loads by itself, and its own commands, where it completes what is typed. Of these
`_call_program` is none: it runs the words that it is given."""

QUIET: Final = frozenset(
    """
    sleep date seq expr tput clear yes basename dirname pwd true false test cal bc factor numfmt getopt which tty stty
    sync reset usleep gdate gseq nproc printf echo [ open say uuidgen cargo make cmake ninja mvn gradle java javac
    """.split()
)
"""Well-known programs that the tables have nothing, or little, to say about."""

INTERNAL: Final = frozenset(
    """
    HOME PWD OLDPWD PATH IFS PS1 PS2 PS3 PS4 UID EUID PPID RANDOM SECONDS LINENO COLUMNS LINES SHLVL OPTARG OPTIND
    OPTERR REPLY HOSTTYPE MACHTYPE OSTYPE SHELL SHELLOPTS TERM COLORTERM TERM_PROGRAM NO_COLOR FORCE_COLOR LANG
    LANGUAGE LC_ALL LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME LC_COLLATE TMPDIR TEMP TMP EDITOR VISUAL PAGER
    BASH BASHPID BASHOPTS BASH_SOURCE BASH_LINENO BASH_VERSION BASH_VERSINFO BASH_REMATCH BASH_SUBSHELL BASH_ARGV
    BASH_ARGC BASH_ARGV0 BASH_COMMAND BASH_EXECUTION_STRING BASH_XTRACEFD BASH_CMDS BASH_ALIASES BASH_REMATCH
    FUNCNAME PIPESTATUS DIRSTACK GROUPS COMP_WORDS COMP_CWORD COMP_LINE COMP_POINT COMPREPLY COPROC EPOCHSECONDS
    EPOCHREALTIME SRANDOM MAPFILE HISTCMD FIGNORE TIMEFORMAT FCEDIT CDPATH ZSH_VERSION ZSH_NAME ZSH_EVAL_CONTEXT
    ZSH_ARGZERO ZDOTDIR KSH_VERSION FPATH MATCH MBEGIN MEND RANDOM ARGC ARGV ARGV0 STATUS CI XDG_CONFIG_HOME
    XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR DISPLAY WAYLAND_DISPLAY CLAUDE_PLUGIN_ROOT
    PLUGIN_ROOT EXTENSION_ROOT CLAUDE_PROJECT_DIR CURSOR_PLUGIN_ROOT ARGUMENTS RED GREEN YELLOW BLUE CYAN MAGENTA PURPLE
    WHITE BLACK GRAY GREY ORANGE BOLD DIM RESET NC NORMAL UNDERLINE
    """.split()
)
"""Variables whose reading says nothing: the shell or the client sets them (`$ARGUMENTS` of a command is text by then),
every program reads them to find its way, or they are colours that another script of the plugin sets."""

_ENVIRONMENT_NAME: Final = lazy(r"[A-Z][A-Z0-9_]*\Z|(?:https?|ftp|all|no)_proxy\Z")
ENVIRONMENT: Final = (NAMES - {"PS4"}) | frozenset(("PATH", "HISTFILE", "HISTSIZE", "HISTCONTROL", "HOME"))
"""Variables that are in the environment already, so that setting them changes what every program started later sees."""
CALLED: Final = frozenset("EDITOR VISUAL PAGER MANPAGER GIT_PAGER BROWSER SUDO_EDITOR FCEDIT SYSTEMD_PAGER".split())
"""Variables whose value others run as a line."""
PROMPTS: Final = frozenset(("PS0", "PS1", "PS2", "PS4", "PROMPT", "RPROMPT"))
"""What a shell expands before each command."""
SHOWN: Final = PROMPTS - {"PROMPT", "RPROMPT"}
"""Those that are hardly anything else."""
NO_HISTORY: Final = frozenset(("HISTFILE", "HISTSIZE", "HISTFILESIZE", "HISTCONTROL", "SAVEHIST"))


def is_environment_name(name: str) -> bool:
    """Say whether a variable that a script never sets is one of its environment, and worth to be told."""
    return name not in INTERNAL and _ENVIRONMENT_NAME.match(name) is not None


def is_history_alone(names: Iterable[str]) -> bool:
    """Say whether variables that are unset are about the history alone: a clean environment has none of many others."""
    return all(name.startswith(("-", "HIST")) or name in ("SAVEHIST", "PROMPT_COMMAND") for name in names)
