"""Ruby, Perl, PHP and Lua: programs, network and code by resolved names; comments and texts are silent."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.registry import reader_named


def _read(language: str, source: str) -> FileFacts:
    return reader_named(language).read(source.encode("utf-8"), Context("lib/x", Interest()))


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        pytest.param("Ruby", "load '/opt/x.rb'", ("code.import", "/opt/x.rb"), id="Ruby: a file of the machine"),
        pytest.param("Perl", "my $x = $ENV{A_KEY};", ("env.read", "A_KEY"), id="Perl: a variable without quotes"),
        pytest.param("Perl", "$ENV{A_KEY} = 'x';", ("env.write", "A_KEY"), id="Perl: a variable that is set"),
        pytest.param(
            "Perl", "local $ENV{A_KEY} = 'x';", ("env.write", "A_KEY"), id="Perl: one that is set for a while"
        ),
        pytest.param("Perl", "my %e = %ENV;", ("env.bulk", None), id="Perl: the environment"),
        pytest.param("Perl", "do '/opt/x.pl';", ("code.import", "/opt/x.pl"), id="Perl: a file that is run"),
        pytest.param("Perl", "require '/opt/x.pl';", ("fs.read", "/opt/x.pl"), id="Perl: a file that is required"),
        pytest.param(
            "PHP", "<?php include '/opt/x.php';", ("code.import", "/opt/x.php"), id="PHP: a file of the machine"
        ),
        pytest.param("PHP", "<?php getenv();", ("env.bulk", None), id="PHP: the environment"),
        pytest.param("PHP", "<?php putenv('A_KEY=x');", ("env.write", "A_KEY"), id="PHP: a variable that is set"),
        pytest.param("Lua", "pcall(os.execute, 'id')", ("process.shell", "id"), id="Lua: a protected call"),
        pytest.param("Lua", "io.open('/opt/x', 'w')", ("fs.write", "/opt/x"), id="Lua: a file that is written"),
        pytest.param("Ruby", "system('rm', '-rf', '/x')", ("process.exec", "rm"), id="Ruby: words"),
        pytest.param("Ruby", "`ls #{x}`", ("process.shell", "ls"), id="Ruby: backticks"),
        pytest.param("Ruby", "Kernel.send(:system, 'id')", ("process.shell", "id"), id="Ruby: send"),
        pytest.param("Ruby", "m = method(:system)\nm.call('id')", ("process.shell", "id"), id="Ruby: a method object"),
        pytest.param("Ruby", "open('| id')", ("process.shell", "id"), id="Ruby: open with a pipe"),
        pytest.param("Ruby", "eval(x)", ("code.dynamic", None), id="Ruby: eval"),
        pytest.param("Ruby", "Net::HTTP.get(URI('http://a.example/'))", ("net.outbound", "a.example"), id="Ruby: HTTP"),
        pytest.param("Ruby", "ENV['A']", ("env.read", "A"), id="Ruby: a variable of the environment"),
        pytest.param("Ruby", "Kernel.send(x, 'id')", ("code.reflective", None), id="Ruby: a name that is not known"),
        pytest.param("Perl", "system('rm', '-rf', '/x');", ("process.exec", "rm"), id="Perl: words"),
        pytest.param("Perl", "my $o = qx(id);", ("process.shell", "id"), id="Perl: qx"),
        pytest.param("Perl", "open(my $f, 'id |');", ("process.shell", "id"), id="Perl: open with a pipe"),
        pytest.param("Perl", "eval $x;", ("code.dynamic", None), id="Perl: eval of a text"),
        pytest.param(
            "Perl",
            "my $u = LWP::UserAgent->new; $u->get('http://a.example/');",
            ("net.outbound", "a.example"),
            id="Perl: LWP",
        ),
        pytest.param(
            "Perl",
            "my $s = IO::Socket::INET->new(Proto => 'tcp', PeerAddr => 'a.example');",
            ("net.outbound", "a.example"),
            id="Perl: a socket whose peer is named",
        ),
        pytest.param(
            "Perl",
            "my $s = IO::Socket::INET->new('a.example:80');",
            ("net.outbound", "a.example:80"),
            id="Perl: a socket with a peer alone",
        ),
        pytest.param(
            "Perl",
            "my $h = 'a.example'; my $s = new IO::Socket::SSL(PeerHost => $h);",
            ("net.outbound", "a.example"),
            id="Perl: new before the class",
        ),
        pytest.param(
            "Perl",
            "my $u = new LWP::UserAgent; $u->get('http://a.example/');",
            ("net.outbound", "a.example"),
            id="Perl: new before the class, given nothing",
        ),
        pytest.param(
            "Perl",
            "my $s = IO::Socket::INET->new(Listen => 5, LocalPort => 9);",
            ("net.listen", None),
            id="Perl: a socket that listens",
        ),
        pytest.param("Perl", "print $ENV{'A'};", ("env.read", "A"), id="Perl: a variable of the environment"),
        pytest.param("PHP", "<?php $f = 'sys'.'tem'; $f('id');", ("process.shell", "id"), id="PHP: a name in pieces"),
        pytest.param("PHP", "<?php `id`;", ("process.shell", "id"), id="PHP: backticks"),
        pytest.param("PHP", "<?php eval($_GET['x']);", ("code.dynamic", None), id="PHP: eval"),
        pytest.param("PHP", "<?php include 'http://a.example/x';", ("code.fetched", "a.example"), id="PHP: include"),
        pytest.param("PHP", "<?php curl_init('http://a.example/');", ("net.outbound", "a.example"), id="PHP: curl"),
        pytest.param("PHP", "<?php eval(base64_decode($x));", ("code.obfuscated", None), id="PHP: decoded code"),
        pytest.param("PHP", "<?php unserialize($x);", ("code.deserialize", None), id="PHP: unserialize"),
        pytest.param(
            "Ruby", "File.open('a', 'w') { |f| f }", ("fs.write", "a"), id="Ruby: a file opened to be written"
        ),
        pytest.param("Ruby", "File.open('a')", ("fs.read", "a"), id="Ruby: a file opened"),
        pytest.param("Ruby", "File.open('//h/x')", ("fs.read", "//h/x"), id="Ruby: a folder of this machine"),
        pytest.param(
            "Ruby",
            r"File.open('\\\\h.example\\s\\a')",
            ("net.outbound", "h.example"),
            id="Ruby: a folder that another machine shares",
        ),
        pytest.param("Ruby", "URI('http://a.example').open", ("net.outbound", "a.example"), id="Ruby: an address read"),
        pytest.param("Ruby", "X.const_get(n)", ("code.reflective", None), id="Ruby: a constant by its name"),
        pytest.param("Ruby", "Psych.parse(x).to_ruby", ("code.deserialize", None), id="Ruby: a tree made objects"),
        pytest.param("Ruby", "open(x)", ("fs.read", None), id="Ruby: open of what is not known"),
        pytest.param("Ruby", "open('|ls %s' % x)", ("process.shell", "ls"), id="Ruby: a line by a form"),
        pytest.param("Ruby", "Dir['/x/*']", ("fs.read", "/x/*"), id="Ruby: a folder listed"),
        pytest.param("Ruby", "require x", ("code.import", None), id="Ruby: a library by a name that is computed"),
        pytest.param("Ruby", "n.constantize.new", ("code.reflective", None), id="Ruby: a class by its name"),
        pytest.param(
            "Ruby", "HTTP.auth('t').get('http://a.example')", ("net.outbound", "a.example"), id="Ruby: a chain"
        ),
        pytest.param("PHP", "<?php fopen('a', 'w');", ("fs.write", "a"), id="PHP: a file opened to be written"),
        pytest.param("PHP", "<?php include($x);", ("code.import", None), id="PHP: include in brackets"),
        pytest.param("PHP", "<?php include __DIR__ . $x;", ("code.import", None), id="PHP: include of a name in parts"),
        pytest.param("PHP", "<?php array_map('system', $x);", ("process.shell", None), id="PHP: a function handed on"),
        pytest.param("PHP", "<?php $_GET['f']($x);", ("code.reflective", None), id="PHP: a function that was sent"),
        pytest.param(
            "PHP", "<?php $f = $_POST['f']; $f($x);", ("code.reflective", None), id="PHP: the same, by a variable"
        ),
        pytest.param(
            "PHP",
            "<?php $r = new ReflectionFunction('system'); $r->invoke('id');",
            ("process.shell", "id"),
            id="PHP: a function as an object",
        ),
        pytest.param(
            "PHP",
            "<?php use GuzzleHttp\\Client as C; $c = new C(); $c->request('GET', 'http://a.example/');",
            ("net.outbound", "a.example"),
            id="PHP: a class under another name",
        ),
        pytest.param(
            "PHP",
            "<?php use A\\{B, D}; use Illuminate\\Support\\Facades\\Http; Http::retry(3)->get('http://a.example/');",
            ("net.outbound", "a.example"),
            id="PHP: a chain",
        ),
        pytest.param("PHP", "<?php preg_replace('/x/e', $y, $z);", ("code.dynamic", None), id="PHP: code in a pattern"),
        pytest.param(
            "PHP", "<?php maybe_unserialize($x);", ("code.deserialize", None), id="PHP: WordPress reads objects"
        ),
        pytest.param("Ruby", "open(Kernel.sprintf('|id %s', x))", ("process.shell", "id"), id="Ruby: a pipe by a form"),
        pytest.param(
            "Ruby", "f = Net::FTP.new\nf.connect('a.example')", ("net.outbound", "a.example"), id="Ruby: FTP, later"
        ),
        pytest.param(
            "Ruby", "RubyVM::InstructionSequence.new(x).eval", ("code.dynamic", None), id="Ruby: compiled code"
        ),
        pytest.param("PHP", "<?php assert($x . $y);", ("code.dynamic", None), id="PHP: a text that is asserted"),
        pytest.param("Lua", "local e = os.execute\ne('id')", ("process.shell", "id"), id="Lua: an alias"),
        pytest.param("Lua", "_G['os']['execute']('id')", ("process.shell", "id"), id="Lua: by the table of globals"),
        pytest.param("PHP code", "system('id');", ("process.shell", "id"), id="PHP without its mark"),
        pytest.param("Lua", "os['exe'..'cute']('id')", ("process.shell", "id"), id="Lua: a name put together"),
        pytest.param(
            "Lua", "local e = 'exe'..'cute'\nos[e]('id')", ("process.shell", "id"), id="Lua: a name in a variable"
        ),
        pytest.param("Lua", "os[x]('id')", ("code.reflective", "os"), id="Lua: a name that can't be told"),
        pytest.param("Lua", "io.popen('ls ' .. x)", ("process.shell", "ls"), id="Lua: a line put together"),
        pytest.param("Lua", "load(x)()", ("code.dynamic", None), id="Lua: load"),
        pytest.param(
            "Lua",
            "local s = require('socket')\ns.connect('a.example', 80)",
            ("net.outbound", "a.example"),
            id="Lua: net",
        ),
    ],
)
def test_what_is_done_is_said(language: str, source: str, expected: tuple[str, str | None]) -> None:
    found = _read(language, source)
    assert expected in {(fact.capability, fact.object) for fact in found.facts}


@pytest.mark.parametrize(
    ("language", "source"),
    [
        pytest.param("Ruby", "X.const_get('A')\n", id="Ruby: a constant"),
        pytest.param("Ruby", "# system('id')\nputs 'system(1)'\ndb.exec('select 1')\n", id="Ruby"),
        pytest.param("Perl", "# system('id');\nprint \"eval x\";\neval { die };\n", id="Perl"),
        pytest.param(
            "Ruby",
            "require 'json'\nrequire File.expand_path('../b', __FILE__)\nrequire File.join(__dir__, 'c')\nx.open(y)\n",
            id="Ruby: libraries",
        ),
        pytest.param(
            "PHP",
            "<?php require_once __DIR__ . '/a.php'; $system($x); preg_replace('/e/', 1, 2);",
            id="PHP: by constants",
        ),
        pytest.param("PHP", "<?php array_map('trim', $x); usort($x, $by); $f($x);", id="PHP: functions handed on"),
        pytest.param("PHP", "<?php assert($x > 1 && ($y instanceof Z)); assert(!$x);", id="PHP: a truth is no code"),
        pytest.param("PHP", "<?php // system('id');\necho 'eval(1)'; $db->exec('select 1');\n", id="PHP"),
        pytest.param(
            "Perl", "open(STDERR, '>&SAVED'); open(STDOUT, '>&', $x); open(my $f, '<&=', 3);", id="Perl: what is open"
        ),
        pytest.param("Lua", "local t = {}\nt[x]('id')\nt['a']('id')\n", id="Lua: a table of its own"),
        pytest.param("Lua", "-- os.execute('id')\nprint('load(x)')\n", id="Lua"),
    ],
)
def test_comments_and_texts_are_silent(language: str, source: str) -> None:
    found = _read(language, source)
    assert (found.status, found.facts, found.nested) == ("read", (), ())


@pytest.mark.parametrize(
    ("language", "source", "inner", "text"),
    [
        pytest.param("Ruby", "system('rm x')", "shell", "rm x", id="Ruby"),
        pytest.param("Ruby", "eval('puts 1')", "Ruby", "puts 1", id="Ruby itself"),
        pytest.param("Perl", "system('rm x');", "shell", "rm x", id="Perl"),
        pytest.param("PHP", "<?php exec('rm x');", "shell", "rm x", id="PHP"),
        pytest.param("Lua", "os.execute('rm x')", "shell", "rm x", id="Lua"),
    ],
)
def test_code_goes_to_its_own_reader(language: str, source: str, inner: str, text: str) -> None:
    (nested,) = _read(language, source).nested
    assert (nested.language, nested.text) == (inner, text)
    assert nested.anchors


def test_what_is_not_understood_is_said() -> None:
    assert _read("Lua", "os.execute('id')\nlocal = =\n").status == "partial"


def _of_packages(path: str, text: str) -> set[tuple[str, str | None]]:
    facts = reader_named("Ruby").read(text.encode(), Context(path, Interest()))
    return {(fact.capability, fact.object) for fact in facts.facts}


@pytest.mark.parametrize(
    ("text", "host"),
    [
        pytest.param("source 'https://a.example'\n", "a.example", id="another registry"),
        pytest.param("gem 'x', git: 'https://a.example/x.git'\n", "a.example", id="a repository"),
        pytest.param("gem 'x', '~> 1', :github => 'o/x'\n", "github.com", id="a repository in short"),
        pytest.param("pod 'x', :http => 'https://a.example/x.zip'\n", "a.example", id="an archive"),
    ],
)
def test_a_list_of_packages_says_what_comes_from_elsewhere(text: str, host: str) -> None:
    said = _of_packages("Gemfile", text)
    assert ("net.outbound", host) in said
    assert {"code.fetched", "autorun"} <= {capability for capability, _ in said}


def test_what_a_package_builds_runs_at_install() -> None:
    text = "Gem::Specification.new do |s|\n  s.extensions = ['ext/extconf.rb']\nend\n"
    assert {("autorun", "ext/extconf.rb"), ("code.native", "ext/extconf.rb")} == _of_packages("x.gemspec", text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("Gemfile", "source 'https://rubygems.org'\ngem 'x', '~> 1'\n", id="the usual registry"),
        pytest.param("Gemfile", "# gem 'x', git: 'https://a.example/x.git'\n", id="a comment"),
        pytest.param("lib/a.rb", "gem 'x', git: 'https://a.example/x.git'\n", id="another file"),
    ],
)
def test_the_usual_packages_are_silent(path: str, text: str) -> None:
    assert _of_packages(path, text) == set()
