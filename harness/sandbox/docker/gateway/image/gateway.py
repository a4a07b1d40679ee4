"""
Holds the network of a task to what its phase may reach. It lives in a container of its own, whose network the task's container shares without being
able to change its rules: `serve` is its first process, and `set`, run beside it with a policy as one line of JSON on standard input, changes the policy and prints "ok".

The rules of the kernel (nftables) leave the task nothing but itself, and where the policy is a list of hosts they turn each of its connections to the
relay and each question about a name to the resolver. Whatever fails leaves them closed, and where this program ends, the engine takes the network away.
"""
import asyncio
import ipaddress
import json
import os
import re
import socket
import sys
import time

from allowed import Allowed
from relay import Relay
from resolver import Resolver

_control = "/run/gateway.sock"
_start_seconds = 30
_relay_port, _resolver_port = 28651, 28653
# On the packets of this program alone: a mark needs a right that the task does not have.
_mark = 0x466F7267
_nothing = "table inet forge {}\ndelete table inet forge\n"
_closed = """
table inet forge {
  chain out {
    type filter hook output priority 0; policy drop;
    meta mark %(mark)d ct mark set %(mark)d accept
    oifname "lo" accept
    ip daddr 127.0.0.0/8 accept
    meta l4proto tcp reject with tcp reset
    reject
  }
  chain in {
    type filter hook input priority 0; policy drop;
    iifname "lo" accept
    ct mark %(mark)d accept
  }
  chain through {
    type filter hook forward priority 0; policy drop;
  }
%(more)s}
"""
# What is outside is reached, and nobody comes in.
_open = """
table inet forge {
  chain in {
    type filter hook input priority 0; policy drop;
    iifname "lo" accept
    ct state established,related accept
  }
}
"""
# Before the engine's own rules, which stand at -100.
_turned = """
  chain turn {
    type nat hook output priority -150; policy accept;
    meta mark %(mark)d return
    oifname "lo" return
    meta nfproto ipv4 udp dport 53 redirect to :%(resolver)d
    meta nfproto ipv4 tcp dport 53 redirect to :%(resolver)d
    meta nfproto ipv4 meta l4proto tcp redirect to :%(relay)d
  }
"""


def rules(mode):
    """The text for nft, which takes it as a whole or not at all."""
    if mode == "public":
        return _nothing + _open
    numbers = {"mark": _mark, "resolver": _resolver_port, "relay": _relay_port}
    return _nothing + _closed % {**numbers, "more": _turned % numbers if mode == "allowlist" else ""}


def name_servers():
    """Of the engine. Read once, before the task is there: it shares this file and may write to it."""
    with open("/etc/resolv.conf", encoding="ascii", errors="replace") as lines:
        found = [match[1] for line in lines if (match := re.match(r"nameserver\s+([0-9.]+)\s*$", line))]
    return [one for one in found if not ipaddress.ip_address(one).is_loopback][:3]


class Gateway:
    def __init__(self):
        self._servers = name_servers()
        self._relay = Relay(_mark)
        self._resolver = Resolver(self._servers, _mark)
        self._one = asyncio.Lock()

    async def serve(self):
        await self._relay.listen(_relay_port)
        await self._resolver.listen(_resolver_port)
        server = await asyncio.start_unix_server(self._hear, _control, limit=1 << 22)
        await server.serve_forever()

    async def _hear(self, reader, writer):
        try:
            async with self._one:
                await self._set(json.loads(await reader.readline()))
            said = "ok"
        except Exception as error:  # whatever it is, whoever asked is told, and the rules are as they were or closed
            said = f"{type(error).__name__}: {error}"
        writer.write(said.encode())
        await writer.drain()
        writer.close()

    async def _set(self, policy):
        """Closed first, so that no connection of the last policy's is left."""
        await _apply(rules("no-network"))
        mode = policy["mode"]
        allowed = Allowed(policy["hosts"]) if mode == "allowlist" else None
        if allowed and allowed.has_names() and not self._servers:
            raise RuntimeError("the engine gives its containers no name server with an IPv4 address outside of them")
        self._resolver.allow(allowed)
        self._relay.allow(allowed)
        if mode != "no-network":
            await _apply(rules(mode))


async def _apply(text):
    nft = await asyncio.create_subprocess_exec(
        "nft", "--file", "-", stdin=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL
    )
    _, told = await asyncio.wait_for(nft.communicate(text.encode()), 20)
    if nft.returncode != 0:
        raise RuntimeError("nft refuses the rules: " + " ".join(told.decode(errors="replace").split())[:300])


def tell(text):
    """Hands a policy to the first process and answers what that says."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(60)
        _connect(sock)
        sock.sendall(text.encode())
        said = b""
        while piece := sock.recv(4096):
            said += piece
    return said.decode(errors="replace")


def _connect(sock):
    """The first process may still be on its way."""
    until = time.monotonic() + _start_seconds
    while True:
        try:
            return sock.connect(_control)
        except (FileNotFoundError, ConnectionRefusedError):
            if time.monotonic() > until:
                raise
            time.sleep(0.02)


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        os.umask(0o077)
        asyncio.run(Gateway().serve())
    else:
        print(tell(sys.stdin.readline()))
