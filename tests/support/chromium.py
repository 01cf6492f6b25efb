"""A headless Chromium, spoken to over its own debugging pipe: no driver and no port."""

import base64
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

PATH = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
PATIENCE = 60.0  # seconds


class Chromium:
    """One page. `errors` and `requests` are what its console and its network said."""

    def __init__(self, profile: Path, width: int = 1280, height: int = 900):
        assert PATH is not None
        # Chromium reads commands from descriptor 3 and writes to 4, one JSON text each, ended by a zero byte.
        commands, self._out = os.pipe()
        self._in, replies = os.pipe()
        shell = f'exec "$0" "$@" 3<&{commands} 4>&{replies}'
        arguments = [*FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"]
        self._process = subprocess.Popen(
            ["bash", "-c", shell, PATH, "--remote-debugging-pipe", *arguments],
            pass_fds=(commands, replies),
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(replies)
        self._number, self._buffer, self._session = 0, b"", ""
        self.errors: list[str] = []
        self.requests: list[str] = []
        self._loaded = False
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def __enter__(self) -> "Chromium":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(20)
        os.close(self._out)
        os.close(self._in)

    def open(self, page: Path) -> None:
        self._loaded = False
        self._call("Page.navigate", url=page.absolute().as_uri())
        while not self._loaded:
            self._receive(time.monotonic() + PATIENCE)

    def evaluate(self, script: str) -> Any:
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait(self, script: str) -> None:
        end = time.monotonic() + PATIENCE
        while not self.evaluate(script):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.05)

    def screenshot(self, path: Path, whole: bool = False) -> None:
        answer = self._call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(answer["data"]))

    def resize(self, width: int, height: int = 900) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._call("Emulation.setDeviceMetricsOverride", **size)

    def prefers(self, scheme: str) -> None:
        self._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def downloads(self, folder: Path) -> None:
        self._downloads = folder
        self._call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def downloaded(self, name: str) -> Path:
        """Once it is there: Chromium gives a file its name when it is whole."""
        end = time.monotonic() + PATIENCE
        while not (self._downloads / name).exists():
            assert time.monotonic() < end, f"{name} was never downloaded"
            self.evaluate("0")
            time.sleep(0.05)
        return self._downloads / name

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while (answer := self._receive(end)).get("id") != self._number:
            pass
        assert "error" not in answer, answer
        return answer["result"]

    def _receive(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            assert time.monotonic() < end, "Chromium does not answer"
            content = os.read(self._in, 1 << 20)
            assert content, "Chromium has ended"
            self._buffer += content
        text, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(text)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, event: str, params: dict[str, Any]) -> None:
        if event == "Page.loadEventFired":
            self._loaded = True
        elif event == "Runtime.exceptionThrown":
            self.errors.append(str(params["exceptionDetails"].get("exception", params)))
        elif event == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.errors.append(str(params["args"]))
        elif event == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"])
        elif event == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
