"""The process: command line, ready line, port file, signals, the parent's end."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from policy_server.cli import parser, settings_from
from policy_server_testing.server import chat_request

ROOM = Path(__file__).resolve().parents[1]


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "policy_server", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOM), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def child(policy_dir: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    parent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    process = start(
        *("--policy", f"v0000={policy_dir}", "--deterministic", "--threads", "1"),
        *("--port-file", str(tmp_path / "run" / "port"), "--parent-pid", str(parent.pid)),
    )
    process.stand_in = parent  # type: ignore[attr-defined]
    try:
        yield process
    finally:
        for running in (parent, process):
            if running.poll() is None:
                running.kill()
            running.wait()


def test_sigterm_lets_the_running_request_finish(child: subprocess.Popen[str], tmp_path: Path) -> None:
    assert child.stdout is not None
    ready = json.loads(child.stdout.readline())
    assert ready["event"] == "ready"
    assert ready["policies"] == ["v0000"]
    assert (tmp_path / "run" / "port").read_text() == str(ready["port"])
    answers: list[int] = []
    connection = http.client.HTTPConnection("127.0.0.1", ready["port"], timeout=300)
    body = json.dumps(chat_request("a", max_tokens=30, temperature=0.0))
    connection.request("POST", "/v1/chat/completions", body, {"content-type": "application/json"})
    waiting = threading.Thread(target=lambda: answers.append(connection.getresponse().status))
    health = http.client.HTTPConnection("127.0.0.1", ready["port"], timeout=300)
    health.request("GET", "/health")
    health.getresponse().read()
    waiting.start()
    child.send_signal(signal.SIGTERM)
    assert child.wait(300) == 0
    waiting.join()
    assert answers == [200]


def test_the_server_ends_with_its_parent(child: subprocess.Popen[str]) -> None:
    assert child.stdout is not None
    child.stdout.readline()
    parent = child.stand_in  # type: ignore[attr-defined]
    parent.kill()
    parent.wait()
    assert child.wait(300) == 0


def test_a_policy_that_is_not_there_is_named_and_ends_the_start(tmp_path: Path) -> None:
    process = start("--policy", f"v0000={tmp_path}")
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 1
    assert f"{tmp_path / 'config.json'}: file not found" in errors
    assert "Traceback" not in errors


def test_help_has_examples() -> None:
    assert "python -m policy_server --policy" in parser().format_help()


@pytest.mark.parametrize("arguments", [["--policy", "x"], ["--threads", "0"], ["--no-such"]])
def test_nonsense_on_the_command_line_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        settings_from(arguments)
    assert stop.value.code == 2
    assert capsys.readouterr().err


def test_defaults_of_the_command_line_are_those_of_the_settings() -> None:
    from policy_server.settings import Settings

    assert settings_from([]) == Settings()
