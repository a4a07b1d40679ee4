import { close, constants, open } from "node:fs";
import { rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { execa } from "execa";
import type { Channel } from "./channel.ts";

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
  await execa("mkfifo", ["-m", "600", paths.in, paths.out, paths.err]);
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
      const end = () => {
        if (!ended) on.end();
        ended = true;
        input.destroy();
      };
      stdout.on("data", on.stdout).on("end", end).on("close", end).on("error", end);
      stderr.on("data", on.stderr).on("error", end);
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
