"""Logging in, with an audit log."""

import hashlib
import hmac
import secrets


class Accounts:
    def __init__(self, audit):
        self.hashes = {}
        self.audit = audit

    def set_password(self, user, password):
        salt = secrets.token_bytes(16)
        self.hashes[user] = salt, hashlib.scrypt(password.encode(), salt=salt, n=1024, r=8, p=1)

    def login(self, user, password):
        """Whether the password is that of the user. Each try is in the audit log."""
        salt, wanted = self.hashes.get(user, (b"", b""))
        got = hashlib.scrypt(password.encode(), salt=salt, n=1024, r=8, p=1)
        is_right = hmac.compare_digest(got, wanted)
        self.audit.append((user, is_right))
        return is_right
