"""Ruby, Perl, PHP and Lua: words in lists, texts that functions make, here-documents, classes that start programs."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.registry import reader_named


def _read(language: str, source: str, path: str = "lib/x") -> FileFacts:
    return reader_named(language).read(source.encode("utf-8"), Context(path, Interest()))


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        pytest.param("PHP", "<?php proc_open(['git', 'log'], [], $p);", ("process.exec", "git"), id="PHP: a list"),
        pytest.param(
            "PHP", "<?php $c = ['rm', '-rf', '/x']; exec(implode(' ', $c));", ("process.shell", "rm"), id="PHP: implode"
        ),
        pytest.param("PHP", "<?php $f = strrev('metsys'); $f('id');", ("process.shell", "id"), id="PHP: turned round"),
        pytest.param(
            "PHP", "<?php $f = base64_decode('c3lzdGVt'); $f('id');", ("process.shell", "id"), id="PHP: decoded"
        ),
        pytest.param(
            "PHP", "<?php $f = chr(101) . chr(120) . 'ec'; $f('id');", ("process.shell", "id"), id="PHP: characters"
        ),
        pytest.param("PHP", "<?php $a = ['exec', 'id']; $a[0]('ls');", ("process.shell", "ls"), id="PHP: of a list"),
        pytest.param("PHP", "<?php exec(sprintf('rm %s', 'x'));", ("process.shell", "rm"), id="PHP: sprintf"),
        pytest.param("PHP", "<?php system(<<<T\nid -u\nT);", ("process.shell", "id"), id="PHP: a here-document"),
        pytest.param(
            "PHP",
            "<?php use Symfony\\Component\\Process\\Process; $p = new Process(['ls', '-l']);",
            ("process.exec", "ls"),
            id="PHP: a process",
        ),
        pytest.param(
            "PHP",
            "<?php use GuzzleHttp\\Client; $c = new Client(['base_uri' => 'https://a.example']);",
            ("net.outbound", "a.example"),
            id="PHP: an address among options",
        ),
        pytest.param(
            "PHP",
            "<?php new PDO('mysql:host=a.example;dbname=x');",
            ("net.outbound", "a.example"),
            id="PHP: a database",
        ),
        pytest.param("Perl", "my @a = ('tar', 'xf'); system(@a);", ("process.exec", "tar"), id="Perl: a list"),
        pytest.param("Perl", "my @a = qw(tar xf); system('nice', @a);", ("process.exec", "tar"), id="Perl: qw"),
        pytest.param("Perl", 'my $c = "rm" . " -rf /x"; system $c;', ("process.shell", "rm"), id="Perl: blanks"),
        pytest.param("Perl", 'my $o = join(" ", "rm", "x"); `$o`;', ("process.shell", "rm"), id="Perl: join"),
        pytest.param("Perl", 'system(pack("H*", "6964"));', ("process.shell", "id"), id="Perl: pack"),
        pytest.param("Perl", '&{"sys" . "tem"}("id");', ("process.shell", "id"), id="Perl: called by a text"),
        pytest.param("Perl", "CORE::system('id');", ("process.shell", "id"), id="Perl: CORE"),
        pytest.param("Perl", "readpipe('id');", ("process.shell", "id"), id="Perl: readpipe"),
        pytest.param("Perl", "s/(.*)/$1/ee;", ("code.dynamic", None), id="Perl: a result that is run"),
        pytest.param("Perl", "open3($a, $b, $c, 'nc', 'x');", ("process.exec", "nc"), id="Perl: open3"),
        pytest.param("Perl", "run ['ls', '-l'];", ("process.exec", "ls"), id="Perl: a list that is run"),
        pytest.param("Ruby", "system(*%w[rm -rf x])", ("process.exec", "rm"), id="Ruby: a list"),
        pytest.param("Ruby", "c = ['rm', 'x'].join(' ')\nsystem(c)", ("process.shell", "rm"), id="Ruby: join"),
        pytest.param("Ruby", "system(<<~T)\n  rm x\nT\n", ("process.shell", "rm"), id="Ruby: a here-document"),
        pytest.param("Ruby", "$c = 'id'\nsystem($c)", ("process.shell", "id"), id="Ruby: a variable of all"),
        pytest.param("Ruby", "Pathname.new('/opt/x').write('y')", ("fs.write", "/opt/x"), id="Ruby: a path's own"),
        pytest.param("Ruby", "Faraday.new(url: 'https://a.example')", ("net.outbound", "a.example"), id="Ruby: url"),
        pytest.param("Lua", "vim.fn.jobstart({'git', 'log'})", ("process.exec", "git"), id="Lua: an editor's job"),
        pytest.param("Lua", "vim.cmd('silent !rm -rf x')", ("process.shell", "rm"), id="Lua: an editor's command"),
        pytest.param("Lua", "vim.uv.spawn('ls', {args = {'-l'}})", ("process.exec", "ls"), id="Lua: a table of words"),
        pytest.param("Lua", "os.execute(('x'):rep(2) .. 'id')", ("process.shell", None), id="Lua: not known"),
    ],
)
def test_it_is_told(language: str, source: str, expected: tuple[str, str | None]) -> None:
    assert expected in {(fact.capability, fact.object) for fact in _read(language, source).facts}


@pytest.mark.parametrize(
    ("language", "source"),
    [
        pytest.param("PHP", "<?php $a = ['system', 'id']; echo implode(' ', $a);", id="PHP: a list that is shown"),
        pytest.param("PHP", "<?php $t = <<<T\nsystem('id');\nT;", id="PHP: a here-document that nothing runs"),
        pytest.param("PHP", "<?php curl_setopt($c, CURLOPT_TIMEOUT, '');", id="PHP: no address"),
        pytest.param("Perl", "my @a = qw(system id); print @a;", id="Perl: a list that is shown"),
        pytest.param("Perl", "s/x/system id/g;", id="Perl: a substitution by text"),
        pytest.param("Ruby", "t = <<~T\n  rm x\nT\nputs t", id="Ruby: a here-document that is shown"),
        pytest.param("Lua", "vim.cmd('colorscheme x')", id="Lua: an editor's command of its own"),
    ],
)
def test_it_is_silent(language: str, source: str) -> None:
    assert not [fact for fact in _read(language, source).facts if fact.capability.startswith(("process", "code"))]


def test_a_machine_tells_what_it_runs_and_shares() -> None:
    source = (
        'Vagrant.configure("2") do |config|\n'
        '  config.vm.box = "a/b"\n'
        '  config.vm.synced_folder "~/x", "/y"\n'
        '  config.vm.provision "shell", inline: <<-S\n'
        "curl https://a.example\n"
        "S\n"
        '  config.trigger.before(:up) { |t| t.run = {inline: "rm -rf /z"} }\n'
        "end\n"
    )
    found = _read("Ruby", source, "Vagrantfile")
    assert ("code.fetched", "a/b") in {(fact.capability, fact.object) for fact in found.facts}
    assert ("fs.read", "~/x") in {(fact.capability, fact.object) for fact in found.facts}
    assert [nested.text.strip() for nested in found.nested] == ["curl https://a.example", "rm -rf /z"]
    assert not _read("Ruby", source).nested
