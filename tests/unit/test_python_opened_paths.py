"""What is read and written through an opened path is at the path: its mode is no path."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.python.reader import read_python


@pytest.mark.parametrize(
    ("program", "objects"),
    [
        pytest.param('with Path("out.txt").open("a") as f:\n    f.write("z")\n', {"out.txt"}, id="a literal"),
        pytest.param('with (Path("d") / "o.txt").open(mode="w") as f:\n    f.write("z")\n', {"d/o.txt"}, id="joined"),
        pytest.param('def g(p: Path):\n    with p.open("a") as f:\n        f.write("z")\n', {None}, id="an annotation"),
        pytest.param('p = Path(input())\nf = p.open("w")\nf.write("z")\n', {None}, id="not known"),
        pytest.param('Path("x").open("w").buffer.write(b"")\n', {"x"}, id="its buffer"),
        pytest.param('open("x", "w").write("")\n', {"x"}, id="the function, whose first argument is the path"),
        pytest.param('TemporaryFile("wb+").write(b"")\n', {None}, id="a temporary file, which has no name"),
    ],
)
def test_the_object_of_a_write_is_the_path(program: str, objects: set[str | None]) -> None:
    facts = read_python(
        f"from pathlib import Path\nfrom tempfile import TemporaryFile\n{program}".encode(), Context("a.py", Interest())
    ).facts
    assert {fact.object for fact in facts if fact.capability == "fs.write"} == objects


@pytest.mark.parametrize(
    ("path", "deleted"),
    [
        pytest.param('(Path.home() / "a.txt").with_suffix(".tmp")', "~/a.tmp", id="another suffix"),
        pytest.param('Path("a/.b").with_suffix(".tmp")', "a/.b.tmp", id="a suffix where there was none"),
        pytest.param('Path("a/b.tar.gz").with_stem("c")', "a/c.gz", id="another stem"),
        pytest.param('Path("/x/.bashrc").with_name(".zshrc")', "/x/.zshrc", id="another name"),
        pytest.param('(Path.home() / "a").with_name(input())', "~/*", id="a name that is not known"),
        pytest.param('Path(home, input()).with_suffix(".b")', "~/*", id="the suffix of a name that is not known"),
        pytest.param('Path(os.environ.get("X", Path.home())).with_suffix(".b")', None, id="what the path was made of"),
        pytest.param('Path("a").rename("/x/b")', None, id="moved"),
    ],
)
def test_a_path_by_another_name_is_that_one(path: str, deleted: str | None) -> None:
    facts = read_python(
        f"import os\nfrom pathlib import Path\nhome = Path.home()\n({path}).unlink()\n".encode(),
        Context("a.py", Interest()),
    ).facts
    assert {fact.object for fact in facts if fact.capability == "fs.delete"} == {deleted}
