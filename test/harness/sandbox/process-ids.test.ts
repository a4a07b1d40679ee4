import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLocalProvider } from "../../../harness/sandbox/local/local-provider.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { needs } from "../../needs.ts";

/** The id given out last, root's to write. */
const lastId = "/proc/sys/kernel/ns_last_pid";
const missing = needs("mount"); // what a root has who may write below /proc/sys
const largest = missing ? 0 : Number(readFileSync("/proc/sys/kernel/pid_max", "utf8"));

describe.skipIf(missing)("process ids that begin again while a command runs", { timeout: 60_000 }, () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    const prepared = await createLocalProvider().prepare({ name: "contract", folder: join(import.meta.dirname, "fixture") });
    sandbox = await prepared.create({ labels: { job: "contract", trial: "1" } });
  });
  afterAll(() => sandbox.close());
  const out = async (command: string) => Buffer.from((await sandbox.exec(command)).stdout).toString();

  const below = `echo 300 >${lastId}; CHILD`;
  const cases = [
    ["with an id below all others", below],
    // Where there are more ids, so many processes take minutes.
    ...(largest > 40_000
      ? []
      : [["whose id others have passed again since", `${below} echo ${Math.floor((largest * 3) / 4)} >${lastId}; sleep 5;`]]),
  ];
  it.each(cases)("let no late output of a background child %s into another command", async (_, command = "") => {
    const child = "(read _ <go; echo late; echo alive >late.txt) &"; // one process, which starts no other
    await out(`echo ${Math.floor(largest / 2)} >${lastId}`);
    expect(await out(`rm -f go late.txt; mkfifo go; ${command.replace("CHILD", () => child)} echo started`)).toBe("started\n");
    expect(await out("echo on >go; until [ -s late.txt ]; do sleep 0.1; done; cat late.txt")).toBe("alive\n");
  });

  it("let a worker of which nobody holds a stream be used again", async () => {
    const workers = [];
    for (let i = 0; i < 3; i += 1) workers.push(await out(`echo 300 >${lastId}; sleep 0.01; echo $PPID`));
    expect(new Set(workers).size).toBe(1);
  });
});
