"""Objects of Kubernetes, playbooks of Ansible, wrappers of builders: what they run, fetch and reach."""

from __future__ import annotations

import pytest

from plugseal.lang.classify import READ, classify
from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.recipes.reader import RECIPES, RecipeReader
from plugseal.scan.nested import read_nested
from plugseal.scan.workers.on_demand import WorkersOnDemand

_POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  hostPID: true
  initContainers:
    - image: init:1
      command: [python3, -c, 'open("/etc/a", "w")']
  containers:
    - name: a
      image: example.invalid/a:latest
      command: [sh, -c]
      args: ["touch /etc/b"]
      securityContext: {privileged: true}
      livenessProbe:
        exec: {command: [cat, /etc/c]}
      lifecycle:
        postStart:
          exec: {command: [sh, -c, "rm /etc/d"]}
  volumes:
    - name: h
      hostPath: {path: /}
"""
_CRON = """\
# two objects
---
apiVersion: v1
kind: Namespace
metadata: {name: a}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: a}
spec:
  jobTemplate: {spec: {template: {spec: {containers: [{image: b, args: [/bin/sh, -c, touch /etc/e]}]}}}}
"""
_FILES = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data:
  a.sh: |
    touch /etc/f
  start: |
    #!/usr/bin/env python3
    open("/etc/g", "w")
  text.md: Run `touch /etc/h`.
"""
_STEPS = """\
apiVersion: tekton.dev/v1
kind: Task
metadata: {name: a}
spec:
  steps:
    - image: a
      script: |
        #!/bin/sh
        touch /etc/i
    - image: b
      command: [python]
      source: open("/etc/j", "w")
"""
_PLAY = """\
- hosts: localhost
  become: true
  vars:
    a: "{{ lookup('pipe', 'touch /etc/k') }}"
  tasks:
    - name: a
      ansible.builtin.shell: touch /etc/l {{ item }}
    - block:
        - command: {argv: [touch, /etc/m]}
      rescue:
        - raw: touch /etc/n
    - command: touch /etc/o
    - shell:
        cmd: touch /etc/p
    - script: files/a.sh
    - get_url: {url: "https://a.invalid/b", dest: /tmp/c}
    - debug: {msg: "shell: touch /etc/q"}
"""


def _read(path: str, text: str) -> FileFacts:
    verdict = classify(path, text.encode())
    assert verdict.action == READ, verdict
    assert verdict.language in RECIPES, verdict
    return RecipeReader(verdict.language).read(text.encode(), Context(path, Interest()))


def _said(path: str, text: str) -> set[tuple[str, str | None]]:
    facts = _read(path, text)
    assert not facts.reason
    with WorkersOnDemand() as workers:
        inside = [
            one for _, found in read_nested(facts, Context(path, Interest()), workers=workers) for one in found.facts
        ]
    return {(fact.capability, fact.object) for fact in (*facts.facts, *inside)}


def test_containers_of_a_pod_and_what_they_reach() -> None:
    said = _said("deploy/pod.yaml", _POD)
    assert {
        ("code.fetched", "init:1"),
        ("code.fetched", "example.invalid/a:latest"),
        ("fs.write", "/etc/a"),
        ("fs.write", "/etc/b"),
        ("fs.read", "/etc/c"),
        ("fs.delete", "/etc/d"),
        ("grant", "hostPID = true"),
        ("grant", "privileged = true"),
        ("grant", "volume /"),
    } <= said


def test_each_of_several_objects_stands_at_its_own_line() -> None:
    facts = _read("job.yml", _CRON)
    assert ("fs.write", "/etc/e") in _said("job.yml", _CRON)
    assert [(fact.object, fact.span.line) for fact in facts.facts] == [("b", 11)]


def test_files_that_an_object_carries_are_read_by_their_language() -> None:
    said = _said("map.yaml", _FILES)
    assert {("fs.write", "/etc/f"), ("fs.write", "/etc/g")} <= said
    assert ("fs.write", "/etc/h") not in said


def test_scripts_of_steps_are_read_by_what_runs_them() -> None:
    assert {("fs.write", "/etc/i"), ("fs.write", "/etc/j")} <= _said("task.yaml", _STEPS)


def test_an_object_that_is_no_yaml_is_not_read_and_the_others_are() -> None:
    facts = _read("a.yaml", _CRON + "---\napiVersion: v1\nkind: {{ .Values.kind }}\n")
    assert facts.reason.startswith("not valid YAML")
    assert facts.facts


@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("values.yaml", "image: a\ncommand: [sh, -c, id]\n", id="values of a chart"),
        pytest.param("a.yaml", "docs:\n  apiVersion: v1\n  kind: Pod\n", id="words further in"),
        pytest.param("a.yaml", "- hosts\n- b\n", id="a list of words"),
        pytest.param("a/tasks/b.yml", "shell: a\n", id="a table in a folder of tasks"),
    ],
)
def test_other_documents_are_data(path: str, text: str) -> None:
    assert classify(path, text.encode()).language == "yaml"


def test_tasks_of_a_play_and_of_its_blocks() -> None:
    said = _said("site.yml", _PLAY)
    assert {("fs.write", f"/etc/{name}") for name in "klmnop"} <= said
    assert ("fs.write", "/etc/q") not in said
    assert {("process.exec", "files/a.sh"), ("net.outbound", "a.invalid"), ("privilege", "become")} <= said


def test_tasks_of_a_role_are_told_by_their_folder() -> None:
    assert ("fs.write", "/etc/a") in _said("roles/a/tasks/main.yml", "---\n# all\n- shell: touch /etc/a\n")


@pytest.mark.parametrize("name", ["gradle/wrapper/gradle-wrapper.properties", ".mvn/wrapper/maven-wrapper.properties"])
def test_a_builder_from_elsewhere_is_code_that_is_fetched(name: str) -> None:
    assert ("code.fetched", "https://a.invalid/b.zip") in _said(name, "distributionUrl=https\\://a.invalid/b.zip\n")
    usual = "distributionUrl=https\\://services.gradle.org/distributions/gradle-8.5-bin.zip\n"
    assert _said(name, usual) == {("net.outbound", "services.gradle.org")}
