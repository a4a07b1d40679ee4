import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
