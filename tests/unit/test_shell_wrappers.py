"""What programs start that are given a command: each of them in its usual spellings. Nothing of it is silent."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.shell.reader import read_shell
from plugseal.model.capability import Fact

_COMMAND = "curl https://h.example/x"
_LINES = """
env - C | env -i A=1 sh -c L | env -S L | env --split-string=L | genv C | env --chdir=d C | env -- C
xargs C | xargs -I{} sh -c L | xargs -I {} bash -c L _ {} | xargs --replace sh -c L | xargs -i sh -c L
xargs -0 -n1 -P4 sh -c L | xargs --max-args=1 C | xargs -n1 -- C
find . -exec C {} + | find . -execdir sh -c L \\; | find . -name a -ok bash -lc L \\; | fd -x sh -c L
parallel L ::: a | parallel -j4 C ::: a | parallel -I % L | parallel --jobs 2 --eta L | parallel ::: L | sem -j2 C
timeout 5 C | timeout -k 5 10s C | timeout --signal=KILL 5 sh -c L | timeout -- 5 C | gtimeout 5 C
nice C | nice -n 10 C | nice -10 C | nice -n 19 ionice -c3 C | chrt -f 1 C | taskset -c 0 C | numactl -N 0 C
cmake -E env C | cmake -E env A=b --unset=D C | cmake -E time C | cmake -E env A=b sh -c L
nohup C & | nohup sh -c L > f 2>&1 & | setsid -f C | setsid bash -c L | chronic C | ifne C | retry -t 3 -- C
sudo C | sudo -u root C | sudo -EH -u root C | sudo -u root -- C | sudo bash -c L | sudo su - root -c L | su -lc L
doas C | doas -u root sh -c L | runuser -u root -- C | gosu root C
flock f C | flock -n f C | flock f -c L | flock -w 5 f sh -c L | flock --timeout=5 f C
script -qc L f | script -q -c L | script f -c L | script -q f C | script -q /dev/null sh -c L
watch L | watch -n 5 C | watch -x sh -c L | watch -tn1 L | entr -r sh -c L | entr -s L | watchexec -e py -- C
ssh h C | ssh h L | ssh -p 22 u@h L | ssh -oProxyCommand=L h | ssh h -- C | ssh h <<< L | ssh -T h 'sudo sh -c "C"'
docker run i C | docker run --rm -it i sh -c L | docker exec -u root c bash -lc L | docker run --entrypoint sh i -c L
docker run --entrypoint=bash i -c L | docker compose exec -T s sh -c L | podman exec c C | docker-compose run s C
kubectl exec p -- C | kubectl exec -it p -- sh -c L | oc rsh p C | lxc exec c -- C | adb shell C | vagrant ssh -c L
gcloud compute ssh v --command=L | gcloud compute ssh v -- C | heroku run C | machinectl shell u@ /bin/sh -c L
sh -c -- L | sh +x -c L | bash -o pipefail -ec L | bash -c -x L | bash < <(echo L) | at now <<< L
tmux send-keys -t a L Enter | tmux new-session -d sh -c L | tmux new -d L | screen -dmS x C
git -c alias.x='!C' x | git rebase --exec L m | git filter-branch --tree-filter L | git submodule foreach L
git bisect run sh -c L | npx -c L | npm exec -- C | hyperfine L | hyperfine --prepare L ls | doppler run --command=L
socat - EXEC:L,pty | socat TCP:a:1 SYSTEM:L | bwrap --ro-bind / / --tmpfs /x sh -c L | unshare -r sh -c L
xvfb-run -a C | faketime '2020-01-01' C | nix develop -c C | nix-shell --run L | guix shell curl -- C
dotenv -- C | op run -- C | direnv exec . C | aws-vault exec x -- C | sops exec-env f L | cmd /c C | flatpak-spawn C
python3 -c'import os; os.system("C")' | stdbuf -oL C | xargs env sh -c L | sudo timeout 5 nohup sh -c L
"""


def _spellings() -> Iterator[str]:
    for row in _LINES.strip().splitlines():
        for line in row.split(" | "):
            yield _spelled(line)


def _spelled(line: str) -> str:
    """Return a line with `C` as a command of two words, and `L` as the same in quotes."""
    found = re.sub(r"(?<![\w-])C(?![\w-])", _COMMAND, line)
    return re.sub(r"(?<![\w-])L(?![\w-])", f"'{_COMMAND}'", found)


def _facts(data: bytes, language: str = "shell") -> Iterator[Fact]:
    """Yield the facts of a script, and of the texts inside it."""
    from plugseal.lang.registry import reader_named

    found = reader_named(language).read(data, Context("x.sh", Interest()))
    yield from found.facts
    for nested in found.nested:
        yield from _facts(nested.text.encode(), nested.language)


@pytest.mark.parametrize("line", list(_spellings()))
def test_what_a_wrapper_starts_is_said(line: str) -> None:
    found = [(fact.capability, fact.object) for fact in _facts(line.encode())]

    assert ("net.outbound", "h.example") in found


_NOT_STARTED = {
    "an option of a program inside an image": "docker run i --transport=stdio\n",
    "options behind what is not known": "docker run $OPTIONS -e A=$B i\n",
    "a key that is typed": "tmux send-keys -t a C-c\n",
    "a message to somebody": "tmux send-keys -t a 'The rest is done' Enter\n",
    "the configuration of a tool": "npx tool eval -c rm.yaml\n",
    "the folder of a package": "npm -C rm run x\n",
    "an alias of git's own": "git -c alias.x=status x\n",
}


@pytest.mark.parametrize("line", _NOT_STARTED.values(), ids=_NOT_STARTED)
def test_what_starts_nothing_is_not_said_to(line: str) -> None:
    programs = {fact.object for fact in _facts(line.encode()) if fact.capability in ("process.exec", "process.shell")}

    assert programs - {None} <= {"docker", "tmux", "npx", "npm", "git"}


def test_lines_that_another_machine_is_fed_run_there() -> None:
    found = read_shell(b"ssh h.example << END\nrm -rf /srv\nEND\n", Context("x.sh", Interest()))

    assert [(nested.text, nested.how) for nested in found.nested] == [("rm -rf /srv\n", "ssh elsewhere")]
