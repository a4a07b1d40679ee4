import { close, constants, open } from "node:fs";
import { rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { hostCommand } from "../host-command.ts";
import type { Channel } from "../channel.ts";

/** How long stderr is waited for once stdout has ended: a child that holds it alone would keep it open for ever. */
const drainMs = 500;

const openFile = promisify(open);
const closeFile = promisify(close);

/** Named pipes to one worker, their ends on this side open. Named, because a socket cannot be opened again as `/dev/stderr`, which commands do. */
export interface Fifos {
  /** Paths of the worker's stdin, stdout and stderr. */
  readonly paths: { readonly in: string; readonly out: string; readonly err: string };
  channel(alive: Channel["alive"]): Channel;
}

/** Makes three named pipes `<name>.in|out|err` in a folder. They may be unlinked (`unlink`) as soon as the worker has opened them. */
export async function makeFifos(folder: string, name: string): Promise<Fifos & { unlink(): Promise<void> }> {
  const paths = { in: join(folder, `${name}.in`), out: join(folder, `${name}.out`), err: join(folder, `${name}.err`) };
  await hostCommand("mkfifo", ["-m", "600", paths.in, paths.out, paths.err]);
  // Opened for both directions, a pipe needs nobody at the other end yet.
  const input = new Socket({ fd: await openFile(paths.in, constants.O_RDWR | constants.O_NONBLOCK), readable: false, writable: true });
  const ends = [];
  for (const path of [paths.out, paths.err]) ends.push(await openFile(path, constants.O_RDONLY | constants.O_NONBLOCK));
  const [out = -1, err = -1] = ends;
  let started = false;
  return {
    paths,
    async unlink() {
      await Promise.all(Object.values(paths).map((path) => rm(path, { force: true })));
      if (started) return;
      input.destroy();
      await Promise.all([closeFile(out), closeFile(err)]);
    },
    channel(alive) {
      started = true;
      return channelOver(input, out, err, alive);
    },
  };
}

function channelOver(input: Socket, out: number, err: number, alive: Channel["alive"]): Channel {
  const stdout = new Socket({ fd: out, readable: true, writable: false });
  const stderr = new Socket({ fd: err, readable: true, writable: false });
  input.on("error", () => input.destroy());
  return {
    listen(on) {
      let ended = false;
      let drained = false;
      let late: NodeJS.Timeout | undefined;
      const end = () => {
        clearTimeout(late);
        if (!ended) on.end();
        ended = true;
        input.destroy();
      };
      // A worker that ends after its reply closes both pipes at once, and the end of one may be seen before the last bytes of the other.
      const outEnded = () => {
        if (drained) end();
        else late ??= setTimeout(end, drainMs);
      };
      const errEnded = () => {
        drained = true;
        if (late) end();
      };
      stdout.on("data", on.stdout).on("end", outEnded).on("close", outEnded).on("error", end);
      stderr.on("data", on.stderr).on("end", errEnded).on("close", errEnded).on("error", end);
    },
    write(bytes) {
      if (!input.destroyed) input.write(bytes);
    },
    alive,
    destroy() {
      for (const stream of [input, stdout, stderr]) stream.destroy();
    },
  };
}
