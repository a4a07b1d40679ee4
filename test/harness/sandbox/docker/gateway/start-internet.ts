import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type Docker from "dockerode";
import { baseImage } from "../../../../../harness/sandbox/docker/image/base-image.ts";

export interface Internet {
  /** Of its machines. Each is a name server, too. */
  readonly addresses: readonly string[];
  /** Where they see the machine that they run on. */
  readonly host: string;
  /** The names that a machine was asked for, one a line. */
  asked(machine: number): Promise<string>;
  close(): Promise<void>;
}

/** Two machines on the engine's bridge, with servers of several protocols. */
export async function startInternet(
  docker: Docker,
  names: (one: string, two: string) => Readonly<Record<string, string>>,
): Promise<Internet> {
  const machines: Docker.Container[] = [];
  const close = async (): Promise<void> => {
    for (const machine of machines) await machine.remove({ force: true, v: true });
  };
  try {
    const program = await readFile(join(import.meta.dirname, "internet.py"), "utf8");
    while (machines.length < 2) {
      const Cmd = ["sh", "-c", 'until [ -e /names ]; do sleep 0.05; done; exec python3 -c "$0" $(cat /names)', program];
      const machine = await docker.createContainer({ Image: baseImage, Cmd, HostConfig: { NetworkMode: "bridge" } });
      machines.push(machine);
      await machine.start();
    }
    const seen = await Promise.all(machines.map(async (machine) => (await machine.inspect()).NetworkSettings.Networks["bridge"]));
    const addresses = seen.map((one) => one?.IPAddress ?? "");
    const [one = "", two = ""] = addresses;
    const words = Object.entries(names(one, two)).map((pair) => pair.join("="));
    for (const machine of machines) {
      await run(machine, ["sh", "-c", `echo ${words.join(" ")} > /new && mv /new /names`]);
      while ((await run(machine, ["cat", "/ready"])).code !== 0) await wait(100);
    }
    const asked = async (machine: number): Promise<string> => {
      const container = machines[machine];
      return container ? (await run(container, ["cat", "/asked"])).said : "";
    };
    return { addresses, host: seen[0]?.Gateway ?? "", asked, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function run(container: Docker.Container, command: string[]): Promise<{ code: number | null; said: string }> {
  const exec = await container.exec({ Cmd: command, AttachStdout: true, Tty: true });
  const stream = await exec.start({ Tty: true });
  const said = Buffer.concat((await stream.toArray()) as Buffer[]).toString(); // with a terminal the engine sends bytes as they are
  return { code: (await exec.inspect()).ExitCode, said };
}
