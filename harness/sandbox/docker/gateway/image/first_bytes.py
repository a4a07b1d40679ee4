"""What the first bytes that a client sends say of whom it wants to speak to. The parsers take hostile bytes, and what is unclear names nobody."""
import re

from allowed import plain_name

# A client's greeting in TLS, or the head of its first request in HTTP.
most = 16 * 1024
_end_of_head = re.compile(rb"\n\r?\n")
_handshake, _client_hello, _server_name = 22, 1, 0


def look(data):
    """
    `("more", [])`: too few bytes. `("other", [])`: neither TLS nor HTTP. Else `("tls" | "http", names)` with every host that is named in it, and no
    names at all where there is none, or one that cannot be read: then nobody is spoken to.
    """
    if data[:1] and 0x14 <= data[0] <= 0x18:
        if len(data) == 1:
            return "more", []
        if data[1] == 3:
            return _tls(data)
    return _http(data)


def _tls(data):
    """The greeting may come in several records."""
    hello, at = b"", 0
    while len(data) >= at + 5:
        size = int.from_bytes(data[at + 3 : at + 5], "big")
        if data[at] != _handshake or data[at + 1] != 3 or size == 0:
            return "tls", []
        fragment = data[at + 5 : at + 5 + size]
        hello += fragment
        if hello and hello[0] != _client_hello:
            return "tls", []
        if len(hello) >= 4 and len(hello) >= 4 + int.from_bytes(hello[1:4], "big"):
            return "tls", server_names(hello[4 : 4 + int.from_bytes(hello[1:4], "big")])
        if len(fragment) < size:
            break
        at += 5 + size
    return "more", []


class _Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, size):
        if self.at + size > len(self.data):
            raise ValueError("ends early")
        self.at += size
        return self.data[self.at - size : self.at]

    def vector(self, width):
        return self.take(int.from_bytes(self.take(width), "big"))

    def left(self):
        return self.at < len(self.data)


def server_names(hello):
    """The names of a ClientHello (RFC 8446 4.1.2, RFC 6066 3); none where any part of it cannot be read."""
    try:
        reader = _Reader(hello)
        reader.take(2 + 32)
        reader.vector(1)
        reader.vector(2)
        reader.vector(1)
        extensions = _Reader(reader.vector(2))
        names = []
        while extensions.left():
            kind = int.from_bytes(extensions.take(2), "big")
            body = extensions.vector(2)
            if kind != _server_name:
                continue
            listed = _Reader(_Reader(body).vector(2))
            while listed.left():
                if listed.take(1) != b"\0":
                    return []
                names.append(_host(listed.vector(2)))
        return [] if None in names else names
    except ValueError:
        return []


def _http(data):
    start = data.lstrip(b"\r\n")
    line, newline, _ = start.partition(b"\n")
    if any(byte < 32 and byte not in b"\t\r" for byte in line):
        return "other", []
    if not newline:
        return "more", []
    if b"http/" not in line.lower():
        return "other", []
    end = _end_of_head.search(start)
    return ("http", _request_names(start[: end.start()])) if end else ("more", [])


def _request_names(head):
    first, *fields = head.split(b"\n")
    words = first.split()
    target = words[1] if len(words) > 1 else b""
    named = []
    if b"://" in target:
        named.append(re.split(rb"[/?#]", target.split(b"://", 1)[1], maxsplit=1)[0])
    elif words[0].upper() == b"CONNECT":
        named.append(target)
    hosts = [value for name, _, value in (field.partition(b":") for field in fields) if name.strip().lower() == b"host"]
    if len(hosts) != 1:
        return []
    names = [_host(re.sub(rb":\d*\Z", b"", value.strip())) for value in [*named, *hosts]]
    return [] if None in names else names


def _host(value):
    try:
        return plain_name(value.decode("ascii"))
    except UnicodeDecodeError:
        return None
