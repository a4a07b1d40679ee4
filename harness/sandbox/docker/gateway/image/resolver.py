"""Answers for the allowed names alone, so that no question about another one leaves the machine: a question can carry data."""
import asyncio
import secrets
import socket
import struct

import dns

_ask_seconds = 3
_most_at_once = 64
_most_seconds = 60


class Resolver:
    """`servers`: addresses of name servers that are asked in turn. `mark`: what the kernel's rules know its own questions by."""

    def __init__(self, servers, mark):
        self._servers = servers
        self._mark = mark
        self._allowed = None
        self._asking = 0

    async def listen(self, port):
        loop = asyncio.get_running_loop()
        resolver = self

        class Datagrams(asyncio.DatagramProtocol):
            def connection_made(self, transport):
                self.transport = transport

            def datagram_received(self, data, sender):
                loop.create_task(self.reply(data, sender))

            async def reply(self, data, sender):
                if reply := await resolver._reply(data):
                    self.transport.sendto(reply, sender)

        self._datagrams, _ = await loop.create_datagram_endpoint(Datagrams, local_addr=("127.0.0.1", port))
        self._streams = await asyncio.start_server(self._stream, "127.0.0.1", port, limit=4096)

    def allow(self, allowed):
        self._allowed = allowed

    async def _stream(self, reader, writer):
        """One question a connection is what resolvers make."""
        try:
            async with asyncio.timeout(2 * _ask_seconds * max(1, len(self._servers))):
                (size,) = struct.unpack("!H", await reader.readexactly(2))
                if reply := await self._reply(await reader.readexactly(min(size, 1024))):
                    writer.write(struct.pack("!H", len(reply)) + reply)
                    await writer.drain()
        except (OSError, EOFError, asyncio.TimeoutError):
            pass
        finally:
            writer.close()

    async def _reply(self, query):
        """The reply to a query, None where there is none."""
        if self._asking >= _most_at_once:
            return None
        self._asking += 1
        try:
            number, flags, name, kind, net, asked = dns.read_question(query)
            if flags & 0x7800:
                return dns.answer(number, flags, asked, dns.NOT_IMPLEMENTED)
            if self._allowed is None or net != dns.INTERNET or not self._allowed.has_name(name):
                return dns.answer(number, flags, asked, dns.NO_SUCH_NAME)
            if kind != dns.A:
                return dns.answer(number, flags, asked, dns.NO_ERROR)
            code, addresses, seconds = await self._ask(name, self._allowed)
            return dns.answer(number, flags, asked, code, addresses, min(seconds, _most_seconds))
        except dns.Broken:
            return None
        finally:
            self._asking -= 1

    async def _ask(self, name, allowed):
        for server in self._servers:
            number = secrets.randbits(16)
            query = dns.question(number, name)
            for over in (self._by_datagram, self._by_stream):
                try:
                    async with asyncio.timeout(_ask_seconds):
                        code, cut, addresses, seconds = dns.read_answer(await over(server, query), number, name)
                except (OSError, EOFError, asyncio.TimeoutError, dns.Broken):
                    break
                if cut and over == self._by_datagram:
                    continue
                if code not in (dns.NO_ERROR, dns.NO_SUCH_NAME):
                    break
                for address in addresses:
                    allowed.remember(address)
                return code, addresses, seconds
        return dns.SERVER_FAILED, [], 0

    def _socket(self, kind):
        sock = socket.socket(socket.AF_INET, kind)
        sock.setblocking(False)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, self._mark)
        return sock

    async def _by_datagram(self, server, query):
        with self._socket(socket.SOCK_DGRAM) as sock:
            loop = asyncio.get_running_loop()
            await loop.sock_connect(sock, (server, 53))
            await loop.sock_sendall(sock, query)
            return await loop.sock_recv(sock, 4096)

    async def _by_stream(self, server, query):
        with self._socket(socket.SOCK_STREAM) as sock:
            loop = asyncio.get_running_loop()
            await loop.sock_connect(sock, (server, 53))
            await loop.sock_sendall(sock, struct.pack("!H", len(query)) + query)
            reply = b""
            while len(reply) < 2 or len(reply) < 2 + int.from_bytes(reply[:2], "big"):
                more = await loop.sock_recv(sock, 4096)
                if not more:
                    raise EOFError
                reply += more
            return reply[2:]
