# SPDX-License-Identifier: GPL-2.0-or-later
"""Chromium and Firefox without a window, through what they come with for that: Chromium's DevTools protocol on two pipes, and Firefox's
Marionette. Both run scripts in a page, and move a real pointer and press keys."""
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015",
        "Tab": "\ue004"}
CODES = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}


class Chromium:
    name = "chromium"

    def __init__(self, width=1000, height=800):
        self.folder = tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"])
        to, self.out = os.pipe()
        self.inn, back = os.pipe()
        os.set_inheritable(to, True)
        os.set_inheritable(back, True)
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
                   "--disable-component-update", "--disable-sync", "--no-first-run", f"--window-size={width},{height}",
                   f"--log-net-log={self.folder.name}/net", f"--user-data-dir={self.folder.name}/profile", "--remote-debugging-pipe", "about:blank"]
        # the protocol is on descriptors 3 and 4
        self.process = subprocess.Popen(["bash", "-c", f'exec "$@" 3<&{to} 4>&{back}', "chromium", shutil.which("chromium"), *options],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(to, back))
        os.close(to)
        os.close(back)
        self.number, self.session, self.rest = 0, None, b""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.send("Page.enable")
        self.resize(width, height)

    def send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                more = os.read(self.inn, 1 << 20)
                if not more:
                    raise EOFError("Chromium has ended")
                self.rest += more
            one, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(one)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise ValueError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, url):
        self.send("Page.navigate", url=url)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, script):
        result = self.send("Runtime.evaluate", expression=f"(() => {{ {script} }})()", returnByValue=True)
        if "exceptionDetails" in result:
            raise ValueError(result["exceptionDetails"])
        return result["result"].get("value")

    def until(self, condition):
        for _ in range(600):
            try:
                if self.run(f"return !!({condition})"):
                    return
            except ValueError:  # the page is being replaced
                pass
            time.sleep(0.05)
        raise TimeoutError(condition)

    def resize(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def dark(self, dark):
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def move(self, x, y):
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y):
        self.move(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, *keys):
        for key in keys:
            code = {"windowsVirtualKeyCode": CODES[key], "key": key} if key in CODES else {"text": key, "key": key}
            self.send("Input.dispatchKeyEvent", type="rawKeyDown" if key in CODES else "keyDown", **code)
            if key == "Enter":
                self.send("Input.dispatchKeyEvent", type="char", text="\r", **code)
            self.send("Input.dispatchKeyEvent", type="keyUp", **{k: v for k, v in code.items() if k != "text"})

    def hosts(self):
        """What was asked of the network, without the browser's own servers, which have one owner."""
        self.close(keep=True)
        found = set(re.findall(r'"url":"https?://([^/"]+)', Path(self.folder.name, "net").read_text()))
        return [host for host in found if not re.search(r"(^|\.)(google|googleapis|gvt1|gstatic)\.com$", host)]

    def close(self, keep=False):
        if self.process.poll() is None:
            self.session = None
            try:
                self.send("Browser.close")
            except (EOFError, ValueError, OSError):
                pass
            self.process.wait(30)
        if not keep:
            self.folder.cleanup()


class Firefox:
    name = "firefox"

    def __init__(self, width=1000, height=800):
        self.folder = tempfile.TemporaryDirectory(dir=os.environ["WIRETRACE_BUILD"])
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        Path(self.folder.name, "user.js").write_text(f'user_pref("marionette.port", {port});\n')
        program = shutil.which("firefox-esr") or shutil.which("firefox")
        self.process = subprocess.Popen([program, "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", self.folder.name],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env={**os.environ, "HOME": self.folder.name})
        for attempt in range(600):
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
                break
            except OSError:
                if attempt == 599 or self.process.poll() is not None:
                    raise
                time.sleep(0.1)
        self.number, self.rest = 0, b""
        self.read()
        self.send("WebDriver:NewSession", capabilities={"alwaysMatch": {"acceptInsecureCerts": False}})
        self.resize(width, height)

    def read(self):
        while True:
            length, found, rest = self.rest.partition(b":")
            if found and len(rest) >= int(length):
                self.rest = rest[int(length):]
                return json.loads(rest[:int(length)])
            more = self.socket.recv(1 << 20)
            if not more:
                raise EOFError("Firefox has ended")
            self.rest += more

    def send(self, command, **parameters):
        self.number += 1
        message = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, number, error, result = self.read()
        if error or number != self.number:
            raise ValueError(f"{command}: {error}")
        return result

    def open(self, url):
        self.send("WebDriver:Navigate", url=url)

    def run(self, script):
        return self.send("WebDriver:ExecuteScript", script=script, args=[])["value"]

    until = Chromium.until

    def resize(self, width, height):
        """The inner size."""
        for _ in range(3):
            outer = self.send("WebDriver:GetWindowRect")
            inner = self.run("return [innerWidth, innerHeight]")
            self.send("WebDriver:SetWindowRect", width=outer["width"] + width - inner[0], height=outer["height"] + height - inner[1])

    def dark(self, dark):
        self.send("Marionette:SetContext", value="chrome")
        self.run(f'Services.prefs.setIntPref("layout.css.prefers-color-scheme.content-override", {0 if dark else 1});')
        self.send("Marionette:SetContext", value="content")

    def act(self, kind, actions):
        source = {"type": kind, "id": kind, "actions": actions}
        if kind == "pointer":
            source["parameters"] = {"pointerType": "mouse"}
        self.send("WebDriver:PerformActions", actions=[source])

    def move(self, x, y):
        self.act("pointer", [{"type": "pointerMove", "x": int(x), "y": int(y), "duration": 0}])

    def click(self, x, y):
        self.move(x, y)
        self.act("pointer", [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}])

    def press(self, *keys):
        self.act("key", [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")])

    def hosts(self):
        return []

    def close(self):
        try:
            self.send("Marionette:Quit", flags=["eForceQuit"])
        except (EOFError, ValueError, OSError):
            pass
        self.socket.close()
        self.process.wait(60)
        self.folder.cleanup()


KINDS = {Chromium: ["chromium"], Firefox: ["firefox-esr", "firefox"]}


def installed():
    return [kind for kind, programs in KINDS.items() if any(map(shutil.which, programs))]
