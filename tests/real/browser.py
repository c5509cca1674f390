"""A browser without a screen, by plain WebDriver calls to chromedriver."""

import base64
import json
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from engine import free_port

OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars"]


class Browser:
    def __init__(self, width=1280, height=1400, dark=False):
        self.port = free_port()
        self.folder = tempfile.mkdtemp(prefix="podfence-browser-")
        self.log = open(f"{self.folder}/chromedriver.log", "wb")
        self.driver = subprocess.Popen([shutil.which("chromedriver"), f"--port={self.port}"], stdin=subprocess.DEVNULL,
                                       stdout=self.log, stderr=self.log)
        try:
            self._until_ready()
            words = [*OPTIONS, f"--user-data-dir={self.folder}/profile", f"--window-size={width},{height}"]
            if dark:
                words.append("--blink-settings=preferredColorScheme=0")
            capabilities = {"browserName": "chrome", "goog:chromeOptions": {"args": words}, "goog:loggingPrefs": {"browser": "ALL"}}
            self.session = f"/session/{self._post('/session', {'capabilities': {'alwaysMatch': capabilities}})['sessionId']}"
        except Exception:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._call("DELETE", self.session)
        finally:
            self.close()

    def close(self):
        self.driver.terminate()
        self.driver.wait(10)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _call(self, method, path, content=None, timeout=60):
        data = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": "application/json"}, method=method)
        try:
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            return json.load(opener.open(request, timeout=timeout))["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()[:800]}") from error

    def _post(self, path, content):
        return self._call("POST", path, content)

    def _until_ready(self):
        end = time.monotonic() + 30
        while True:
            try:
                if self._call("GET", "/status")["ready"]:
                    return
            except OSError:
                pass
            if time.monotonic() > end:
                raise RuntimeError("chromedriver does not answer")
            time.sleep(0.1)

    def open(self, address):
        self._post(f"{self.session}/url", {"url": address})

    def run(self, script, *arguments):
        """The value of a script `return …;` on the page."""
        return self._post(f"{self.session}/execute/sync", {"script": script, "args": list(arguments)})

    def until(self, script, *arguments, seconds=20):
        """The value as soon as it is true; the last one when it never is."""
        end = time.monotonic() + seconds
        while True:
            value = self.run(script, *arguments)
            if value or time.monotonic() > end:
                return value
            time.sleep(0.1)

    def console(self):
        """What was logged since: errors of scripts and of loading, violations of the content security policy."""
        return self._post(f"{self.session}/se/log", {"type": "browser"})

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._call("GET", f"{self.session}/screenshot")))
