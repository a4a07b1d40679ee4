"""Tries what its lines of standard input name, each a verb and its words, and prints for each what came of it, one line: an answer, or "no"."""
import socket
import ssl
import struct
import sys

seconds = 6


def name(host):
    return socket.gethostbyname(host)


def page(where, host, port="80"):
    with socket.create_connection((where, int(port)), seconds) as sock:
        sock.sendall(f"GET / HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
        return whole(sock)


def raw(where, port, text):
    with socket.create_connection((where, int(port)), seconds) as sock:
        sock.sendall(text.encode().decode("unicode_escape").encode("latin-1"))
        return whole(sock)


def secure(where, host):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection((where, 443), seconds) as sock:
        with context.wrap_socket(sock, server_hostname=None if host == "-" else host) as safe:
            safe.sendall(b"GET / HTTP/1.0\r\n\r\n")
            return whole(safe)


def listens(where, port):
    with socket.create_connection((where, int(port)), seconds) as sock:
        sock.settimeout(seconds)
        greeting = sock.recv(100)
        sock.sendall(b"\x16\x03\x01 hello")
        return (greeting + sock.recv(100)).decode()


def datagram(where, port):
    family = socket.AF_INET6 if ":" in where else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as sock:
        sock.settimeout(2)
        sock.sendto(b"an echo", (where, int(port)))
        return sock.recv(100).decode()


def ask(server, over, host):
    query = struct.pack("!6H", 7, 0x100, 1, 0, 0, 0) + b"".join(bytes([len(l)]) + l.encode() for l in host.split(".")) + b"\0\0\1\0\1"
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM if over == "tcp" else socket.SOCK_DGRAM) as sock:
        sock.settimeout(seconds)
        sock.connect((server, 53))
        sock.sendall(struct.pack("!H", len(query)) + query if over == "tcp" else query)
        reply = sock.recv(500)[2 if over == "tcp" else 0 :]
        return socket.inet_ntoa(reply[-4:]) if reply[7] else "no"


def open_raw(kind):
    made = {
        "icmp": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
        "packet": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)),
        "mark": lambda: socket.socket().setsockopt(socket.SOL_SOCKET, socket.SO_MARK, 0x466F7267),
        "netfilter": netfilter,
    }[kind]()
    return f"{made}"


def netfilter():
    """What `nft flush ruleset` sends: a batch that deletes every table."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12) as sock:
        sock.settimeout(2)
        def message(kind, flags):
            return struct.pack("=IHHII", 20, kind, flags, 1, 0) + struct.pack("=BBH", 0, 0, socket.htons(10) if kind < 32 else 0)
        sock.sendall(message(16, 1) + message(10 << 8 | 2, 5) + message(17, 1))
        kind, _, _, _, error = struct.unpack_from("=HHIIi", sock.recv(500), 4)
        if kind == 2 and error:
            raise OSError(-error, "refused")
        return "flushed"


def whole(sock):
    data = b""
    while piece := sock.recv(4096):
        data += piece
    return data.decode("latin-1").split("\r\n\r\n")[-1] or "no"


tries = {"name": name, "page": page, "raw": raw, "secure": secure, "listens": listens, "datagram": datagram, "ask": ask, "open": open_raw}
for line in sys.stdin:
    verb, *words = line.rstrip("\n").split(" ")
    try:
        said = tries[verb](*words)
    except OSError as error:
        said = f"no ({error})"
    print(said.replace("\n", "|"), flush=True)
