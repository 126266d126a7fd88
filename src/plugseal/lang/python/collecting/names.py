"""Names that Python gives to every module, in any version: a fixed list, never the running interpreter's own."""

from __future__ import annotations

from typing import Final

PACKED: Final = "__pyarmor__"
"""What packed code calls to unpack itself, whatever module it comes from."""
BUILTIN_NAMES: Final = frozenset(
    """
    abs aiter all anext any apply ascii basestring bin bool breakpoint buffer bytearray bytes callable chr classmethod
    cmp coerce compile complex copyright credits delattr dict dir divmod enumerate eval exec execfile exit file filter
    float format frozenset getattr globals hasattr hash help hex id input int intern isinstance issubclass iter len
    license list locals long map max memoryview min next object oct open ord pow print property quit range raw_input
    reduce reload repr reversed round set setattr slice sorted staticmethod str sum super tuple type unichr unicode vars
    xrange zip __import__ __build_class__
    """.split()
)
GUARDED: Final = frozenset(
    "eval exec compile execfile open __import__ breakpoint getattr setattr vars globals locals".split()
)
"""Those whose own meaning a file must not lose by binding the name somewhere."""
GETTERS: Final = frozenset(
    "builtins.getattr inspect.getattr_static builtins.object.__getattribute__ builtins.type.__getattribute__ "
    "types.ModuleType.__getattribute__".split()
)
"""Functions that take an attribute by its name."""
MODULE_NAMES: Final = {
    "__builtins__": "builtins",
    "__loader__": "builtins.__loader__",
    "__spec__": "builtins.__spec__",
    "get_ipython": "builtins.get_ipython",
}
"""Names that the import system sets, with what they stand for."""
KNOWN_FUNCTIONS: Final = {
    "Popen": "subprocess.Popen",
    "check_call": "subprocess.check_call",
    "check_output": "subprocess.check_output",
    "urlopen": "urllib.request.urlopen",
    "urlretrieve": "urllib.request.urlretrieve",
    "environ": "os.environ",
    "getenv": "os.getenv",
    "__pyarmor__": "pytransform.__pyarmor__",
}
"""Functions whose bare name, bound by nothing in the file, can hardly mean anything else."""
REACHABLE_MODULES: Final = frozenset(
    "builtins code codecs ctypes importlib io marshal multiprocessing os pickle platform posix pty runpy shutil signal "
    "socket ssl subprocess sys urllib".split()
)
"""Modules that others import and so expose: `shutil.os` is `os`."""
REFLECTIVE: Final = frozenset(
    "__subclasses__ __globals__ __builtins__ f_builtins f_globals f_locals gi_frame cr_frame ag_frame tb_frame".split()
)
"""Attributes that lead from any object to the interpreter's inside."""
COMMON_METHODS: Final = frozenset(
    """
    add append capitalize casefold center clear copy count decode difference difference_update discard encode
    endswith expandtabs extend find format format_map fromhex fromkeys get hex index insert intersection
    intersection_update isalnum isalpha isascii isdecimal isdigit isdisjoint isidentifier islower isnumeric
    isprintable isspace issubset issuperset istitle isupper items join keys ljust lower lstrip maketrans
    partition pop popitem remove removeprefix removesuffix replace reverse rfind rindex rjust rpartition rsplit
    rstrip setdefault sort split splitlines startswith strip swapcase symmetric_difference
    symmetric_difference_update title translate union update upper values zfill
    """.split()
)
"""Methods of text, bytes, lists, dictionaries and sets."""
STANDARD_MODULES: Final = frozenset(
    """
    abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii binhex
    bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys
    compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses
    datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl
    filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp
    gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json
    keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder
    msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os
    ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint
    profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib
    resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib
    sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string
    stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios
    textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle
    turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg
    winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
    """.split()
)
"""Top-level modules of the standard library of Python 3.10 to 3.13; a file of such a name shadows none of them."""
