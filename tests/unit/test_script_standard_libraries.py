"""Ruby, Perl, PHP and Lua: what their own libraries and the usual packages do is told, each by a name that resolves."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.registry import reader_named


def _read(language: str, source: str) -> FileFacts:
    return reader_named(language).read(source.encode("utf-8"), Context("lib/x", Interest()))


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        ("Ruby", "x = <<`E`\nrm -rf y\nE\n", ("process.shell", "rm")),
        ("Ruby", "Open3.pipeline('sort', 'uniq -c')", ("process.shell", "uniq")),
        ("Ruby", "Open3.pipeline_r({'A' => 'b'}, 'sort', ['uniq', '-c'])", ("process.exec", "uniq")),
        ("Ruby", "POSIX::Spawn.popen4('ls', '-l')", ("process.exec", "ls")),
        ("Ruby", "Open4.popen4('ls -l')", ("process.shell", "ls")),
        ("Ruby", "Net::SSH.start(h, u) { |s| s.exec!('id') }", ("process.shell", "id")),
        ("Ruby", "Pathname.new('/opt/x').chmod(0o600)", ("fs.meta", "/opt/x")),
        ("Ruby", "Pathname.new('/opt/x').exist?", ("fs.read", "/opt/x")),
        ("Ruby", "HTTPClient.get_content('http://a.example/')", ("net.outbound", "a.example")),
        ("Ruby", "ENV['PATH'] = '/opt/x'", ("env.write", "PATH")),
        ("Ruby", "ENV.delete('A')", ("env.write", "A")),
        ("Ruby", "JSON.dump(ENV)", ("env.bulk", None)),
        ("Ruby", "post(url, body: ENV)", ("env.bulk", None)),
        ("Ruby", "Gem.post_install { |i| puts i }", ("autorun", None)),
        ("Ruby", "Gem::Specification.new { |s| s.extensions = ['ext/extconf.rb'] }", ("autorun", "ext/extconf.rb")),
        ("PHP", "<?php echo json_encode($_ENV);", ("env.bulk", None)),
        ("PHP", "<?php foreach ($_ENV as $k => $v) { echo $k; }", ("env.bulk", None)),
        ("Ruby", "Pathname.new('/opt').join('x').read", ("fs.read", "/opt/x")),
        ("Perl", "path('/opt')->child('x')->slurp;", ("fs.read", "/opt/x")),
        ("Ruby", "Pathname.new(x).delete", ("fs.delete", None)),
        ("Ruby", "(Pathname.new('/opt/x') + y).write('z')", ("fs.write", None)),
        ("Ruby", "f = Net::FTP.new('a.example')\nf.sendcmd('x')", ("net.outbound", None)),
        ("Perl", "path($x)->child('y')->remove;", ("fs.delete", "*/y")),
        ("PHP", "<?php mb_ereg_replace('a', $x, $y, 'e');", ("code.dynamic", None)),
        ("PHP", "<?php $c = $_GET['c']; new $c();", ("code.reflective", None)),
        ("Ruby", "ERB.new(x).result(binding)", ("code.dynamic", None)),
        ("Ruby", "WIN32OLE.new('WScript.Shell').Run('calc')", ("process.shell", "calc")),
        ("Ruby", "self.__send__(x)", ("code.reflective", None)),
        ("Ruby", "Kernel.public_send(x, 'id')", ("code.reflective", None)),
        ("Ruby", 'self.send("ex#{x}", "id")', ("code.reflective", None)),
        ("Ruby", "File.public_send(x, '/opt/x')", ("code.reflective", None)),
        ("Ruby", "method(x).call('id')", ("code.reflective", None)),
        ("Perl", "my $x = <<`E`;\nrm -rf y\nE\n", ("process.shell", "rm")),
        ("Perl", "sysopen(my $f, '/opt/x', 1);", ("fs.write", "/opt/x")),
        ("Perl", "my @a = </opt/*>;", ("fs.read", "/opt/*")),
        ("Perl", "IO::File->new('/opt/x', '>');", ("fs.write", "/opt/x")),
        ("Perl", "path('/opt/x')->slurp;", ("fs.read", "/opt/x")),
        ("Perl", "path('/opt/x')->remove_tree;", ("fs.delete", "/opt/x")),
        ("Perl", "my $r = HTTP::Request->new(GET => 'http://a.example/');", ("net.outbound", "a.example")),
        ("Perl", "HTTP::Daemon->new;", ("net.listen", None)),
        ("Perl", "getpwnam('root');", ("system.info", None)),
        ("Perl", "$ENV{PATH} = '/opt/x';", ("env.write", "PATH")),
        ("Perl", "YAML::Load($x);", ("code.deserialize", None)),
        ("Perl", "Win32::OLE->new('WScript.Shell')->Run('calc');", ("process.shell", "calc")),
        ("Perl", "Module::Load::load($x);", ("code.import", None)),
        ("PHP", "<?php curl_setopt_array($c, [CURLOPT_URL => 'http://a.example/']);", ("net.outbound", "a.example")),
        ("PHP", "<?php imagepng($i, '/opt/x');", ("fs.write", "/opt/x")),
        ("PHP", "<?php (new ZipArchive)->extractTo('/opt/x');", ("fs.write", "/opt/x")),
        ("PHP", "<?php DOMDocument::load('http://a.example/');", ("net.outbound", "a.example")),
        ("PHP", "<?php (new COM('WScript.Shell'))->Run('calc');", ("process.shell", "calc")),
        ("PHP", "<?php ssh2_exec($c, 'id');", ("process.shell", "id")),
        ("Lua", "require('ffi').C.system('id')", ("process.shell", "id")),
        ("Lua", "getfenv(1).os.execute('id')", ("process.shell", "id")),
        ("Lua", "vim.uv.fs_open('/opt/x', 'w', 438)", ("fs.write", "/opt/x")),
        ("Lua", "vim.fn.execute('!rm x')", ("process.shell", "rm")),
    ],
)
def test_it_is_told(language: str, source: str, expected: tuple[str, str | None]) -> None:
    assert expected in {(fact.capability, fact.object) for fact in _read(language, source).facts}


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("Ruby", 'send("#{x}=", 1)'),
        ("Ruby", 'self.send("validate_#{x}")'),
        ("Ruby", "public_send(x)"),
        ("Ruby", "item.send(x)"),
        ("Ruby", "Account.public_send(x)"),
        ("Ruby", "method(:own)"),
        ("Ruby", "t = <<'E'\nrm `x`\nE\nputs t"),
        ("Ruby", "ENV['PATH']"),
        ("Perl", "my $x = <<'E';\nrm `x`\nE\n"),
        ("Ruby", "allow(ENV).to receive(:[])"),
        ("PHP", "<?php echo array_key_exists('A', $_ENV);"),
        ("Perl", "while (<STDIN>) { print; }"),
        ("PHP", "<?php mb_ereg_replace('a', 'b', $x, 'i');"),
        ("PHP", "<?php new $c();"),
        ("PHP", "<?php error_log('x');"),
        ("PHP", "<?php imagepng($i);"),
    ],
)
def test_it_is_silent(language: str, source: str) -> None:
    assert not _read(language, source).facts


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("PHP", "<?php \\system('id');"),
        ("PHP", "<?php [$f, $c] = ['system', 'id']; $f($c);"),
        ("PHP", "<?php list($f, $c) = ['system', 'id']; $f($c);"),
        ("PHP", "<?php header_register_callback('system');"),
        ("Ruby", "alias run system\nrun 'id'"),
        ("Ruby", "alias_method :run, :system\nrun 'id'"),
        ("Ruby", "define_method(:run, Kernel.method(:system).to_proc)\nrun 'id'"),
        ("Ruby", "Kernel.instance_method(:system).bind(self).call('id')"),
        ("Ruby", "f, c = :system, 'id'\nsend(f, c)"),
        ("Perl", "my $f = \\&CORE::system; $f->('id');"),
        ("Perl", "my ($f, $c) = ('x', 'id'); system($c);"),
        ("Lua", "local t = {run = os.execute}"),
        ("Lua", "coroutine.wrap(os.execute)('id')"),
        ("Lua", "string.gsub('id', '.*', os.execute)"),
        ("Lua", "t.run = os.execute"),
        ("Lua", "package.loaded.os.execute('id')"),
    ],
)
def test_a_function_by_another_name_starts_a_program(language: str, source: str) -> None:
    assert "process.shell" in {fact.capability for fact in _read(language, source).facts}


@pytest.mark.parametrize(
    ("language", "source", "capability"),
    [
        ("Lua", "for k, v in pairs(os) do v('id') end", "code.reflective"),
        ("PHP", "<?php extract($_GET);", "code.reflective"),
        ("PHP", "<?php include 'php://input';", "code.dynamic"),
    ],
)
def test_what_is_not_known_is_said(language: str, source: str, capability: str) -> None:
    assert {fact.capability for fact in _read(language, source).facts} == {capability}


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("Ruby", "r, w = IO.pipe\nr.read"),
        ("Ruby", "alias run call\nrun 'id'"),
        ("Lua", "local os = {}\nfor k, v in pairs(os) do print(k) end"),
        ("Lua", "t.time = os.time"),
        ("PHP", "<?php [$a, $b] = f(); $a('id');"),
    ],
)
def test_names_of_nothing_are_silent(language: str, source: str) -> None:
    assert not _read(language, source).facts
