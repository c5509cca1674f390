"""A certificate authority of the tests' own, by the openssl command."""

import os
import subprocess
from pathlib import Path

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
SETTINGS = """[ca]
default_ca = own
[own]
database = {folder}/index
serial = {folder}/serial
default_md = sha256
default_days = 30
default_crl_days = 30
new_certs_dir = {folder}
certificate = {folder}/ca.pem
private_key = {folder}/ca.key
policy = any
copy_extensions = copy
[any]
commonName = supplied
"""


class Authority:
    def __init__(self, folder, account):
        self.folder, self.account = Path(folder), account
        self.folder.mkdir()
        self._write("settings", SETTINGS.format(folder=folder))
        self._write("index", "")
        self._write("serial", "1000\n")
        self._openssl("req", "-x509", *KEY, "-keyout", self.path("ca.key"), "-out", self.path("ca.pem"), "-subj", "/CN=authority",
                      "-days", "30")
        self.write_revoked()

    def path(self, name):
        return str(self.folder / name)

    def issue(self, name, alternative, days=("-days", "30")):
        """NAME.pem and NAME.key; `alternative` is the subject alternative name."""
        self._openssl("req", *KEY, "-keyout", self.path(f"{name}.key"), "-out", self.path(f"{name}.csr"), "-subj", f"/CN={name}",
                      "-addext", f"subjectAltName={alternative}")
        self._openssl("ca", "-batch", "-notext", "-config", self.path("settings"), *days, "-in", self.path(f"{name}.csr"), "-out",
                      self.path(f"{name}.pem"))

    def revoke(self, name):
        self._openssl("ca", "-config", self.path("settings"), "-revoke", self.path(f"{name}.pem"))
        self.write_revoked()

    def write_revoked(self):
        self._openssl("ca", "-config", self.path("settings"), "-gencrl", "-out", self.path("revoked.pem"))

    def pin(self, name):
        """As RFC 7469 has it."""
        der = self._openssl("x509", "-in", self.path(f"{name}.pem"), "-noout", "-pubkey")
        der = self._openssl("pkey", "-pubin", "-outform", "DER", data=der)
        digest = self._openssl("dgst", "-sha256", "-binary", data=der)
        return self._openssl("base64", "-A", data=digest).decode()

    def _write(self, name, text):
        (self.folder / name).write_text(text)

    def _openssl(self, *words, data=b""):
        out = subprocess.run(["openssl", *words], input=data, capture_output=True, check=True).stdout
        for path in (self.folder, *self.folder.iterdir()):
            os.chown(path, self.account.pw_uid, self.account.pw_gid)
        return out
