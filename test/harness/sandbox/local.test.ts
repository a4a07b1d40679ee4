import { accessSync, constants } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLocalProvider } from "../../../harness/sandbox/local/local-provider.ts";
import { thisOwner } from "../../../harness/sandbox/owner.ts";
import { sandboxContract } from "./contract.ts";

const provider = createLocalProvider();

sandboxContract("local", false, () => ({
  async create() {
    const prepared = await provider.prepare({ name: "contract", folder: join(import.meta.dirname, "fixture") });
    return prepared.create({ labels: { job: "contract", trial: "1" } });
  },
  /** All private roots of this process but the one template that is kept for the next sandbox. */
  async leftovers() {
    const own = (await readdir(tmpdir())).filter((name) => name.startsWith(`forge-local_${thisOwner().process}_`));
    return own.slice(1);
  },
}));

/** By which the next process id is chosen (Linux with CONFIG_CHECKPOINT_RESTORE); root's to write. */
const lastPid = "/proc/sys/kernel/ns_last_pid";
const writable = (() => {
  try {
    accessSync(lastPid, constants.W_OK);
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
})();

describe("process ids that have begun again at 1", () => {
  it.skipIf(!writable)(
    "let no late output of a background child into another command",
    async () => {
      const prepared = await provider.prepare({ name: "contract", folder: join(import.meta.dirname, "fixture") });
      const sandbox = await prepared.create({ labels: { job: "contract", trial: "1" } });
      try {
        const child = "(until [ -e go ]; do sleep 0.1; done; echo late; echo alive >late.txt) &";
        await sandbox.exec(`echo 300 >${lastPid}; ${child} echo started`);
        const { stdout } = await sandbox.exec("touch go; until [ -e late.txt ]; do sleep 0.1; done; cat late.txt");
        expect(Buffer.from(stdout).toString()).toBe("alive\n");
        // Where nothing is left, the worker is used again: no process is taken for a holder of its streams.
        const workers = [];
        for (let i = 0; i < 3; i += 1) workers.push(Buffer.from((await sandbox.exec("echo $PPID")).stdout).toString());
        expect(new Set(workers).size).toBe(1);
      } finally {
        await sandbox.close();
      }
    },
    60_000,
  );
});
