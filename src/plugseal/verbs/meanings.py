"""Capabilities for people: what counts as each, why it matters, what to check. A test asserts that none is missing."""

from __future__ import annotations

from typing import Final

from plugseal.records import NamedTuple


class Meaning(NamedTuple):
    """What `explain` says of a capability besides its few words."""

    what: str
    why: str
    remedy: str


MEANINGS: Final[dict[str, Meaning]] = {
    "process.exec": Meaning(
        "A program is started with a list of arguments: `subprocess.run([...])`, `os.execv`, `child_process.spawn`. "
        "The object is the program where it is known.",
        "The program runs with the rights of whoever runs the plugin, and can do things this scan does not see.",
        "Check which program it is and where its arguments come from.",
    ),
    "process.shell": Meaning(
        "A line is given to a shell: `subprocess.run(..., shell=True)`, `os.system`, `sh -c`.",
        "A shell runs whatever the line says; text from elsewhere that gets into it becomes commands.",
        "Prefer a list of words without a shell. If the line is fixed, read it.",
    ),
    "net.outbound": Meaning(
        "A connection is opened or data is sent: HTTP clients, sockets, mail, DNS by hand. The object is the host "
        "where it is known.",
        "Whatever the plugin can read can leave the machine.",
        "Check that each host belongs to what the plugin is for. `?` means that the host is computed.",
    ),
    "net.listen": Meaning(
        "A port or socket is opened for others to connect to.",
        "Other programs, users or machines can reach the plugin.",
        "Check the address: a loopback address is reachable by every user of the machine, `0.0.0.0` by the network.",
    ),
    "fs.read": Meaning(
        "Files are read or directories listed. The object is the path where it is known.",
        "Together with `net.outbound` it can carry files off the machine.",
        "Check which paths are read, and where they come from.",
    ),
    "fs.write": Meaning(
        "Files are created, changed, moved or copied.",
        "What is written can be run later by something else.",
        "Check that it stays inside the workspace or the plugin's own data.",
    ),
    "fs.delete": Meaning("Files or trees are removed.", "It can't be undone.", "Check where the paths come from."),
    "fs.meta": Meaning(
        "The mode, owner or links of files are changed.",
        "It can make a file executable, readable to others, or point elsewhere.",
        "Check which files, and whether anything runs them.",
    ),
    "path.outside": Meaning(
        "A path is named that leads out of the plugin and the workspace: absolute, in the home directory, or by `..`.",
        "A plugin has little reason to leave its place; secrets, settings and start-up files stand there.",
        "Check each path.",
    ),
    "env.read": Meaning(
        "An environment variable is read. The object is its name.",
        "Tokens and passwords often stand there.",
        "Check that each name belongs to the service that the plugin is for.",
    ),
    "env.bulk": Meaning(
        "The whole environment is read, copied or handed on.",
        "That includes every secret in it, whoever it was meant for.",
        "Prefer single names. Check where the copy goes.",
    ),
    "env.write": Meaning(
        "The environment is changed.",
        "Variables such as `PATH`, `LD_PRELOAD` or `NODE_OPTIONS` decide what later programs load.",
        "Check the names.",
    ),
    "code.dynamic": Meaning(
        "Code is made at run time and run: `eval`, `exec`, `Function`, templates that run code.",
        "What runs is not what was reviewed.",
        "Check where the text comes from; prefer data and a parser.",
    ),
    "code.import": Meaning(
        "A module is loaded whose name is computed, or which comes from elsewhere.",
        "Which code is loaded is decided at run time.",
        "Check what the name can be.",
    ),
    "code.reflective": Meaning(
        "A sensitive module is reached into by a name that could not be resolved: `getattr(os, name)`.",
        "It can be anything that the module can do.",
        "Check what the name can be; treat it as the worst of them otherwise.",
    ),
    "code.obfuscated": Meaning(
        "Code hides what it does: decoded and run, packed, escaped, disguised.",
        "Honest plugins have no need to hide from their reader.",
        "Decode it and read it, or do without the plugin.",
    ),
    "code.deserialize": Meaning(
        "Data is decoded in a way that can run code: `pickle`, `marshal`, unsafe YAML.",
        "Whoever writes the data runs code here.",
        "Check where the data comes from; prefer JSON.",
    ),
    "code.native": Meaning(
        "Native code or byte code is loaded: `ctypes`, addons, `.so`, `.pyc`, WebAssembly.",
        "Nothing of it can be read here.",
        "Ask for its source and how it was built, or treat it as able to do everything.",
    ),
    "code.fetched": Meaning(
        "Code is fetched at start, or downloaded and run: `npx`, `uvx`, `docker run`, `pip install`, `curl | sh`.",
        "What runs tomorrow is not what was there today.",
        "Name an exact version, better a digest; best, ship it with the plugin.",
    ),
    "code.unbound": Meaning(
        "Modules are loaded from outside of what was reviewed: an ancestor's `node_modules`, a file"
        ' named at run time, a path that climbs out of the plugin (`import "../../lib/x.js"`).',
        "They are not part of what was reviewed.",
        "Bring them into the plugin, or take the reference out.",
    ),
    "credentials.read": Meaning(
        "A place is read where secrets live: SSH keys, cloud credentials, keyrings, browser profiles, `.env` files.",
        "These secrets belong to the user, not to the plugin.",
        "Check why; a plugin should be given its own token.",
    ),
    "persistence": Meaning(
        "Something is arranged to run again later: cron, systemd, login items, shell start-up files, git hooks.",
        "It goes on after the plugin was removed.",
        "Check what is installed and how it is taken away.",
    ),
    "privilege": Meaning(
        "Privileges are raised or changed: `sudo`, `setuid`, capabilities.",
        "It reaches beyond the user who runs the plugin.",
        "A plugin should not need it.",
    ),
    "system.info": Meaning(
        "The machine or its user is identified: host name, user name, hardware, installed programs.",
        "It is harmless alone; with `net.outbound` it is tracking, or reconnaissance.",
        "Check where it goes.",
    ),
    "device.capture": Meaning(
        "Clipboard, screen, keyboard, camera or microphone are read.",
        "They hold what was meant for other programs.",
        "Check that the user asks for it each time.",
    ),
    "autorun": Meaning(
        "Something runs without being asked: a hook, an install script, a task on opening a folder, code at import.",
        "It has run before anybody decides.",
        "Read what runs, and when.",
    ),
    "instr.exec": Meaning(
        "Prose tells the agent or the user to run something.",
        "An agent may well do it; the text is a program then.",
        "Read the command as if it were code of the plugin.",
    ),
    "grant": Meaning(
        "The plugin gives itself permissions: `allowed-tools`, automatic approval, settings that trust it.",
        "The question that would have been asked is answered already.",
        "Check each permission; narrow the wide ones.",
    ),
    "unread": Meaning(
        "No reader understood the file: another language, native code, an archive, damaged or too large.",
        "It is not harmless, it is unknown, and policies deny it by default.",
        "Read it yourself, or ask the author for its source. `scan` gives the reason for each file.",
    ),
}
"""By capability."""
