import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import { execa } from "execa";
import { setTimeout as wait } from "node:timers/promises";

/**
 * How another container on the attacked machine fared: it holds some memory, and starts a process and writes a file again beside the old one ten times a
 * second. A disk that was filled has no room for that until someone makes some; what it took away itself it could always write again.
 */
export interface Fared {
  /** Rounds in which all went well. */
  readonly well: number;
  /** What it could not do, each sort with how often. */
  readonly failed: Readonly<Record<string, number>>;
  /** The kernel ended it. */
  readonly killed: boolean;
}

export interface Neighbour {
  /** Ends it. */
  end(): Promise<Fared>;
}

const program = `
import errno, os, subprocess, sys, time
hold = bytearray(100 << 20)
while True:
    try:
        subprocess.run(["true"], check=True)
        with open("/var/tmp/own.new", "wb") as file:
            file.write(os.urandom(1 << 20)); file.flush(); os.fsync(file.fileno())
        os.replace("/var/tmp/own.new", "/var/tmp/own")
        print("well", flush=True)
    except OSError as error:
        print("no room on the disk" if error.errno == errno.ENOSPC else "no process" if error.errno == errno.EAGAIN else str(error), flush=True)
    time.sleep(0.1)
`;

/** @param docker words before the command of docker's client @param options of `docker run` */
export async function startNeighbour(
  image: string,
  o: { docker: readonly string[]; options: readonly string[]; network?: string; does?: string },
): Promise<Neighbour> {
  const name = `forge-neighbour-${randomBytes(4).toString("hex")}`;
  const own = ["run", "--name", name, "--label", "forge.naive=1", "--network", o.network ?? "none", "--log-driver", "none", ...o.options];
  const running = execa("docker", [...o.docker, ...own, "--entrypoint", "python3", image, "-c", o.does ?? program], { reject: false });
  const failed: Record<string, number> = {};
  let well = 0;
  createInterface({ input: running.stdout }).on("line", (line) => {
    if (line === "well") well += 1;
    else failed[line] = (failed[line] ?? 0) + 1;
  });
  let ended = false;
  void running.then(() => (ended = true));
  for (let i = 0; well < 5 && !ended && i < 300; i += 1) await wait(50);
  const remove = () => execa("docker", [...o.docker, "rm", "-f", name], { reject: false });
  if (well < 5) {
    await remove();
    throw new Error(`The neighbour did not begin its work: ${(await running).stderr.slice(0, 300)}`);
  }
  return {
    async end() {
      await wait(200);
      const killed = ended;
      await remove();
      await running;
      return { well, failed, killed };
    },
  };
}

export const isHarmed = ({ failed, killed }: Fared): boolean => killed || Object.keys(failed).length > 0;

export function describeFared({ failed, killed }: Fared): string {
  const said = Object.entries(failed).map(([what, times]) => `${what} ${times} times`);
  return [...said, ...(killed ? ["ended by the kernel"] : [])].join(", ") || "unharmed";
}
