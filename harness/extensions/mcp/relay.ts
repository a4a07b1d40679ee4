import { Duplex } from "node:stream";
import { messageOf } from "../../errors.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";

/** Bash alone can open a connection; where there is none, Python can. Whichever side ends first ends the other. */
const script = `
if command -v bash >/dev/null 2>&1; then
  exec bash -c 'exec 3<>"/dev/tcp/$1/$2" || exit 7; exec 4<&0; cat <&3 & r=$!; cat <&4 >&3 & w=$!; wait -n; kill $r $w 2>/dev/null' relay "$1" "$2"
fi
exec python3 -c '
import os, socket, sys, threading
s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 20); s.settimeout(None)
def out():
    while True:
        b = s.recv(65536)
        if not b: os._exit(0)
        while b: b = b[os.write(1, b):]
threading.Thread(target=out, daemon=True).start()
while True:
    b = os.read(0, 65536)
    if not b: os._exit(0)
    s.sendall(b)
' "$1" "$2"`;

/** What opens connections: all that is needed of a sandbox. `connect`: where a connection needs no program. */
export type Opener = Pick<Sandbox, "kind" | "program"> & { connect?(host: string, port: number): Promise<Duplex> };

/**
 * A connection that is opened from inside of the sandbox: names and networks are those of what runs there, on whatever machine it is, and nothing of
 * this machine can be reached by it.
 * @param heard hears how many bytes came, before anybody reads them; what it throws ends the connection
 */
export async function relay(sandbox: Opener, host: string, port: number, heard: (bytes: number) => void): Promise<Duplex> {
  if (sandbox.connect) return counted(await sandbox.connect(host, port), heard);
  if (!sandbox.program) throw new Error(`a sandbox of kind ${sandbox.kind} opens no connections`);
  const channel = await sandbox.program(["/bin/sh", "-c", script, "relay", host, String(port)]);
  let errors = "";
  const duplex = new Duplex({
    read: () => undefined,
    write(chunk: Uint8Array, _, done) {
      channel.write(chunk);
      done();
    },
    destroy(error, done) {
      channel.destroy();
      done(error);
    },
  });
  channel.listen({
    stdout(chunk) {
      if (duplex.destroyed) return;
      try {
        heard(chunk.length);
        duplex.push(chunk);
      } catch (error) {
        duplex.destroy(error instanceof Error ? error : new Error(messageOf(error)));
      }
    },
    stderr: (chunk) => (errors = (errors + Buffer.from(chunk).toString()).slice(-500)),
    end: () =>
      errors.trim() === "" ? duplex.push(null) : duplex.destroy(new Error(`${host}:${port}: ${errors.trim().split("\n").at(-1)}`)),
  });
  return duplex;
}

/** A connection of this machine, whose bytes are heard of before anybody reads them. */
function counted(socket: Duplex, heard: (bytes: number) => void): Duplex {
  const push = socket.push.bind(socket);
  socket.push = (chunk: Uint8Array | null, ...rest) => {
    try {
      if (chunk !== null) heard(chunk.length);
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error(messageOf(error)));
      return false;
    }
    return push(chunk, ...rest);
  };
  return socket;
}
