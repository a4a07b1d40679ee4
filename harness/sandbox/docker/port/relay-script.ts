/** The port that is tried first: the same in each sandbox, so that nothing an agent shows of it differs between two runs. */
const usualPort = 4117;

/**
 * Listens on loopback and carries its connections over standard streams, in frames: connection (4 bytes), kind (1), length (4), bytes, big-endian.
 * Kinds: 0 opened, 1 bytes, 2 no more bytes, 3 closed, 4 the port that is listened on.
 */
export const relayScript = `
import asyncio, struct, sys

async def main():
    loop = asyncio.get_running_loop()
    source = asyncio.StreamReader(limit=2 ** 20)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(source), sys.stdin.buffer)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout.buffer)
    out = asyncio.StreamWriter(transport, protocol, None, loop)
    writers = {}
    count = 0

    def send(number, kind, data=b""):
        out.write(struct.pack(">IBI", number, kind, len(data)) + data)

    async def serve(reader, writer):
        nonlocal count
        count += 1
        number = count
        writers[number] = writer
        send(number, 0)
        try:
            while data := await reader.read(65536):
                send(number, 1, data)
                await out.drain()
            send(number, 2)
        except OSError:
            send(number, 3)
            writers.pop(number, None)
            writer.close()

    server = None
    for port in (${usualPort}, 0):
        try:
            server = await asyncio.start_server(serve, "127.0.0.1", port)
            break
        except OSError:
            pass
    send(0, 4, str(server.sockets[0].getsockname()[1]).encode())
    while True:
        try:
            number, kind, length = struct.unpack(">IBI", await source.readexactly(9))
            data = await source.readexactly(length)
        except asyncio.IncompleteReadError:
            return
        writer = writers.get(number)
        if writer is None:
            continue
        try:
            if kind == 1:
                writer.write(data)
            elif kind == 2:
                writer.write_eof()
            elif kind == 3:
                writers.pop(number, None)
                writer.close()
        except OSError:
            writers.pop(number, None)

asyncio.run(main())
`;
