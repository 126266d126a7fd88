"""Paths as text: how they are joined, and which of them lead to a place that matters.

Text only; nothing is looked up on any disk. `~` and `$HOME` stand for the home of whoever runs the plugin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from plugseal.lang.folded import HOLE, MAX_TEXT, Text
from plugseal.patterns import lazy

_HOME: Final = lazy(
    r"^(?:~[\w.-]*|\$HOME|\$\{HOME\}|%USERPROFILE%|%APPDATA%|%LOCALAPPDATA%)(?=$|[/\\])",
    re.I,
    needs=("~", "$home", "${home}", "%userprofile%", "%appdata%", "%localappdata%"),
)
_ABSOLUTE: Final = lazy(r"^(?:/|[A-Za-z]:[\\/]|\\\\)", needs=("/", ":\\", "\\\\"))
_WITHIN: Final = lazy(
    r"(?<![\w.~/}%\x00-])(?:/|~[\w-]*/|\.\./|[A-Za-z]:[\\/]|\$HOME/|\$\{HOME\}/|%(?:USERPROFILE|(?:LOCAL)?APPDATA)%\\)[^\s\"':;,]+"
)
_MAX_SEARCHED: Final = 4_096
_PRIVATE: Final = r"""(?:^|[/\\~])(?:
        \.ssh(?:[/\\]|$) | id_(?:rsa|dsa|ecdsa|ed25519)(?:$|[./\\]) | \.aws[/\\](?:credentials|config)
      | \.git-credentials$ | \.netrc$ | _netrc$ | \.npmrc$ | \.pypirc$ | \.pgpass$ | \.my\.cnf$ | \.vault-token$
      | \.docker[/\\]config\.json$ | \.kube[/\\]config
      | \.config[/\\](?:gcloud|gh|hub|op|rclone|doctl|solana)(?:[/\\]|$)
      | \.azure(?:[/\\]|$) | \.gnupg(?:[/\\]|$) | \.password-store(?:[/\\]|$) | \.terraform\.d[/\\]credentials
      | \.cargo[/\\]credentials | \.gem[/\\]credentials | etc[/\\](?:shadow|gshadow|sudoers|master\.passwd)
      | \.electrum | \.bitcoin(?:[/\\]|$) | \.ethereum(?:[/\\]|$) | wallet\.dat$
      | Login\ Data | Cookies$ | cookies\.sqlite | logins\.json$ | key[34]\.db$ | Local\ State$ | Web\ Data$
      | login\.keychain | Keychains(?:[/\\]|$) | keyrings(?:[/\\]|$) | \.mozilla[/\\]firefox | User\ Data(?:[/\\]|$)
      | Local\ Storage[/\\]leveldb | \.claude[/\\]\.credentials\.json | \.codex[/\\]auth\.json
      | \.gemini[/\\]oauth_creds\.json$ | github-copilot[/\\](?:apps|hosts)\.json$ | huggingface[/\\]token$
      | \.kaggle[/\\]kaggle\.json$ | \.databrickscfg$ | \.s3cfg$ | \.boto$ | \.mylogin\.cnf$ | \.htpasswd$
      | \.dbt[/\\]profiles\.ya?ml$ | \.fly[/\\]config\.yml$ | \.pulumi[/\\]credentials\.json$ | \.snowsql[/\\]config$
      | \.(?:oci|cloudflared|putty)[/\\] | \.m2[/\\]settings(?:-security)?\.xml$
      | composer[/\\]auth\.json$ | \.?Subversion[/\\]auth(?:[/\\]|$) | \.purple[/\\]accounts\.xml$
      | (?:sitemanager|recentservers|confCons|KeePass\.config|FileZilla\ Server|SQLAliases\d{0,3})\.xml$ | WinSCP\.ini$
      | [^/\\]{0,200}\.(?:kdbx?|ppk)$ | pgpass\.conf$ | rclone\.conf$ | wpa_supplicant\.conf$ | ngrok\.yml$
      | signons\.sqlite$ | \.terraformrc$ | NetworkManager[/\\]system-connections | ssh_host_[a-z0-9]{1,16}_key$
      | (?:auto)?unattend(?:ed)?\.xml$ | sysprep\.(?:inf|xml)$ | ntds\.dit$
      | System32[/\\]config[/\\](?:SAM|SECURITY|SYSTEM)$ | Microsoft[/\\](?:Credentials|Protect|Vault)(?:[/\\]|$)
      | Local\ Extension\ Settings(?:[/\\]|$) | Telegram\ Desktop[/\\]tdata | exodus\.wallet | Electrum[/\\]wallets
      | Ethereum[/\\]keystore | launcher_accounts\.json$ | loginusers\.vdf$ | kcpassword$ | krb5\.keytab$ | opasswd$
      | var[/\\]run[/\\]secrets | run[/\\]secrets | proc[/\\](?:self|\d+)[/\\]environ
    )"""
_NO_SECRETS: Final = (".pub", "DevToolsActivePort", "SingletonLock")
"""Ends of names of what stands beside secrets and is none: a port, a lock."""
_AUTOSTART: Final = r"""(?:^|[/\\~])(?:
        \.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|kshrc)$
      | \.(?:cshrc|tcshrc|xprofile|xinitrc|xsessionrc|vimrc|gitconfig)$ | \.pythonrc(?:\.py)?$
      | \.config[/\\]systemd[/\\]user(?:[/\\]?$ | [/\\][^/\\]+[/\\] | [/\\][^/\\]{0,255}(?:\*
            | \.(?:service|timer|socket|path|target|mount|automount|slice|scope|device|swap|conf))$)
      | \.config[/\\](?:autostart|fish) | \.ssh[/\\](?:authorized_keys|rc|config)
      | \.local[/\\]share[/\\]systemd | etc[/\\](?:cron|sudoers|profile|bash\.bashrc|zsh|rc\.local|init\.d)
      | etc[/\\](?:systemd | inittab | pam\.(?:d|conf) | update-motd\.d | modules-load\.d | bash_completion\.d)
      | etc[/\\](?:rc\.common | emond\.d)
      | etc[/\\](?:apt[/\\]apt\.conf\.d|ssh[/\\]sshrc|X11[/\\](?:Xsession|xinit)|network[/\\]if-[a-z-]{1,16}\.d)
      | etc[/\\](?:NetworkManager[/\\]dispatcher\.d|networkd-dispatcher) | (?:etc|lib)[/\\]udev[/\\]rules\.d
      | \.config[/\\](?:environment\.d|plasma-workspace[/\\](?:env|shutdown)) | \.pam_environment$
      | \.local[/\\]share[/\\]dbus-1[/\\]services
      | System32[/\\](?:sethc|utilman|osk|magnify|narrator|displayswitch|atbroker)\.exe$
      | Setup[/\\]Scripts[/\\](?:ErrorHandler|SetupComplete)\.cmd$
      | etc[/\\](?:ld\.so\.preload|xdg[/\\]autostart|environment) | var[/\\]spool[/\\]cron | crontabs?(?:[/\\]|$)
      | (?:lib|etc)[/\\]systemd[/\\]system | Launch(?:Agents|Daemons) | StartupItems
      | Start\ Menu[/\\]Programs[/\\]Startup | \.git[/\\](?:hooks|config$)
      | (?:site|user)customize\.py$ | [^/\\]+\.pth$ | \.claude[/\\]settings[^/\\]*(?:\.json\*?|\*)$
    )
    | ^(?:\.[/\\]|~[/\\]|\*[/\\]|\$CLAUDE_PROJECT_DIR[/\\])?(?:
        \.mcp\.json$
    )"""
_TEMPORARY: Final = lazy(r"(?:/private)?/(?:var/)?tmp/|/var/folders/|%TE?MP%[/\\]")
_DEVICE: Final = lazy(r"^/dev/(?:video\d|input/|snd/|dsp|audio|fb\d|hidraw|media\d)")
_ENVIRONMENT: Final = lazy(
    r"(?:/?/proc/)(?:self|thread-self|[\d*$]\w{0,20}|\$\{\w{1,20}\})(?:/task/[\d*]{1,9})?/environ\Z"
)
_IDENTITY: Final = lazy(
    r"^/(?:etc/(?:machine-id|hostname|hostid)$|var/lib/dbus/machine-id$|sys/(?:class|devices/virtual)/dmi/"
    r"|proc/sys/kernel/(?:hostname|random/boot_id)|proc/sys/kernel/osrelease$)"
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile one of the long patterns, at its first use: many files name no path."""
    return re.compile(pattern, re.X | re.I)


def join_paths(parts: list[Text | None]) -> Text:
    """Return the parts joined as `os.path.join` does; unknown parts are holes."""
    joined, whole = "", True
    for part in parts:
        text = part.value if part is not None else HOLE
        if isinstance(text, bytes):
            text = text.decode("latin-1")
        if not isinstance(text, str):
            text = HOLE
        whole = whole and part is not None and part.whole and text != HOLE
        if not joined or _ABSOLUTE.match(text) or text.startswith("~"):
            joined = text
        elif text:
            joined += text if joined.endswith(("/", "\\")) else "/" + text
        if len(joined) > MAX_TEXT:
            return Text(HOLE, whole=False)
    return Text(joined, whole)


def is_outside(path: str) -> bool:
    """Say whether a path leads out of the plugin and the workspace: absolute, in the home folder, or climbing out."""
    return bool(_ABSOLUTE.match(path) or _HOME.match(path)) or climbs_out(path)


def paths_outside(text: str) -> Iterator[str]:
    """Yield the paths in the value of a variable, alone or among options, that lead out of all that is usual."""
    for path in _WITHIN.findall(text[:_MAX_SEARCHED]):
        if is_outside(path) and not path.startswith(("/usr/", "//")):
            yield path


def climbs_out(path: str, depth: int = 0) -> bool:
    """Say whether a relative path, read from `depth` folders below a root, ever leads above that root."""
    for part in re.split(r"[/\\]", path):
        if part == "..":
            depth -= 1
            if depth < 0:
                return True
        elif part not in ("", "."):
            depth += 1
    return False


def is_device(path: str) -> bool:
    """Say whether a path is a camera, a microphone, a screen or a keyboard."""
    return _DEVICE.match(path) is not None


def is_environment(path: str) -> bool:
    """Say whether a path holds the whole environment of a process."""
    return _ENVIRONMENT.match(path) is not None


def is_identity(path: str) -> bool:
    """Say whether a path holds what tells one machine from all others."""
    return _IDENTITY.match(path) is not None


def is_secret(path: str) -> bool:
    """Say whether a path names a known place of secrets."""
    return _compiled(_PRIVATE).search(path) is not None and not path.endswith(_NO_SECRETS)


def is_autostart(path: str) -> bool:
    """Say whether what is written to a path is run again later by itself; below a temporary folder nothing is."""
    if _TEMPORARY.match(path) is not None and ".." not in path:
        return False
    return _compiled(_AUTOSTART).search(path) is not None


_READ_MEANINGS: Final = (
    ("credentials.read", is_secret),
    ("device.capture", is_device),
    ("env.bulk", is_environment),
    ("system.info", is_identity),
)
_WRITES: Final = frozenset(("fs.write", "fs.meta"))


def path_meanings(capability: str, path: str) -> list[str]:
    """Return the capabilities that reading or writing a path is besides: credentials, a device, persistence."""
    if capability == "fs.read":
        return [more for more, holds in _READ_MEANINGS if holds(path)]
    return ["persistence"] if capability in _WRITES and is_autostart(path) else []
