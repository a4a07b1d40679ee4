"""A piece of internet: a name server of the names given as name=address, which notes what it is asked, and at each port another server."""
import http.server
import ipaddress
import socket
import ssl
import struct
import subprocess
import sys
import threading

names = dict(word.split("=") for word in sys.argv[1:])


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"a page"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def answer(query):
    at, labels = 12, []
    while query[at]:
        labels.append(query[at + 1 : at + 1 + query[at]].decode())
        at += 1 + query[at]
    name = ".".join(labels)
    with open("/asked", "a") as asked:
        asked.write(name + "\n")
    found = names.get(name)
    record = b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 60, 4) + ipaddress.ip_address(found).packed if found else b""
    return query[:2] + struct.pack("!5H", 0x8180 if found else 0x8183, 1, 1 if found else 0, 0, 0) + query[12 : at + 5] + record


def datagrams():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("0.0.0.0", 53))
        while True:
            query, sender = sock.recvfrom(4096)
            sock.sendto(answer(query), sender)


def streams():
    with socket.create_server(("0.0.0.0", 53)) as server:
        while True:
            client, _ = server.accept()
            with client:
                size = int.from_bytes(client.recv(2), "big")
                reply = answer(client.recv(size))
                client.sendall(struct.pack("!H", len(reply)) + reply)


def first_to_speak():
    with socket.create_server(("0.0.0.0", 22)) as server:
        while True:
            client, _ = server.accept()
            threading.Thread(target=greet, args=(client,), daemon=True).start()


def greet(client):
    with client:
        client.sendall(b"a greeting\n")
        while client.recv(100):
            client.sendall(b"a word\n")


def echo():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("0.0.0.0", 99))
        while True:
            data, sender = sock.recvfrom(100)
            sock.sendto(data, sender)


subprocess.run("openssl req -x509 -newkey rsa:2048 -nodes -keyout /key -out /cert -subj /CN=internet -days 2".split(), check=True, capture_output=True)
secure = http.server.ThreadingHTTPServer(("0.0.0.0", 443), Page)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("/cert", "/key")
secure.socket = context.wrap_socket(secure.socket, server_side=True)
plain = http.server.ThreadingHTTPServer(("0.0.0.0", 80), Page)
for serve in (datagrams, streams, first_to_speak, echo, secure.serve_forever):
    threading.Thread(target=serve, daemon=True).start()
for name in ("/asked", "/ready"):
    open(name, "a").close()
plain.serve_forever()
