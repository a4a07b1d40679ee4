"""Lets through the connections that the list of a phase allows. The kernel's rules bring every connection of the task here, wherever it was meant to go."""
import asyncio
import socket
import struct

import first_bytes

_original_destination = 80  # SO_ORIGINAL_DST of linux/netfilter_ipv4.h
_most_connections = 256
_piece = 16 * 1024
_connect_seconds = 10
_greeting_seconds = 10
_idle_seconds = 900


class Refused(Exception):
    """What is asked for is not on the list."""


class Relay:
    """`mark`: what the kernel's rules know its own connections by."""

    def __init__(self, mark):
        self._mark = mark
        self._allowed = None
        self._open = set()

    async def listen(self, port):
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", port, limit=_piece)

    def allow(self, allowed):
        """From now on; what is open ends."""
        self._allowed = allowed
        for task in self._open:
            task.cancel()

    async def _accept(self, reader, writer):
        task = asyncio.current_task()
        ends = [writer]
        try:
            if self._allowed is None or len(self._open) >= _most_connections:
                return
            self._open.add(task)
            await self._carry(self._allowed, reader, writer, ends)
        except (Refused, OSError, ValueError, asyncio.TimeoutError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(task)
            for end in ends:
                _reset(end)

    async def _carry(self, allowed, reader, writer, ends):
        address, port = _destination(writer.get_extra_info("socket"))
        listed = allowed.has_address(address)
        if not listed and not allowed.is_found(address):
            raise Refused
        there, back = await asyncio.wait_for(self._connect(address, port), _connect_seconds)
        ends.append(back)
        told = asyncio.Event()
        down = asyncio.ensure_future(_pump(there, writer, told))
        up = asyncio.ensure_future(_pump(reader, back) if listed else _guarded(allowed, reader, back, told))
        try:
            done, _ = await asyncio.wait((up, down), return_when=asyncio.FIRST_EXCEPTION)
            for one in done:
                one.result()
        finally:
            up.cancel()
            down.cancel()
        while ends:
            ends.pop().close()

    async def _connect(self, address, port):
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            sock.setblocking(False)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, self._mark)
            await asyncio.get_running_loop().sock_connect(sock, (address, port))
            return await asyncio.open_connection(sock=sock, limit=_piece)
        except BaseException:
            sock.close()
            raise


async def _guarded(allowed, reader, back, told):
    """
    Many names share one address, so whom the client means must be allowed, too, where it says so. A server that speaks before the client (`told`)
    speaks neither TLS nor HTTP.
    """
    data = await asyncio.wait_for(reader.read(_piece), _idle_seconds)
    if data and not told.is_set():
        data = await asyncio.wait_for(_greeting(allowed, data, reader), _greeting_seconds)
    back.write(data)
    await _pump(reader, back)


async def _greeting(allowed, data, reader):
    while (look := first_bytes.look(data))[0] == "more":
        more = await reader.read(_piece) if len(data) < first_bytes.most else b""
        if not more:
            raise Refused
        data += more
    kind, names = look
    if kind != "other" and not (names and all(allowed.has_name(name) for name in names)):
        raise Refused
    return data


async def _pump(reader, writer, told=None):
    while data := await asyncio.wait_for(reader.read(_piece), _idle_seconds):
        if told:
            told.set()
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()


def _destination(sock):
    raw = sock.getsockopt(socket.SOL_IP, _original_destination, 16)
    port, address = struct.unpack_from("!2xH4s", raw)
    return socket.inet_ntoa(address), port


def _reset(writer):
    """Ends a connection at once, so that its other side sees that it was not let through."""
    try:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass
    writer.transport.abort()
