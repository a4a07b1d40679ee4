import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import { hashCopy } from "../../harness/sandbox/workspace/workspace-hash.ts";
import { fetchTree } from "../trial/keep/fetch-tree.ts";

/** The hash of a sandbox's workdir as it is taken when a trial ends: nothing runs any more. Null where it cannot be taken. */
export async function hashWorkdir(sandbox: Sandbox): Promise<string | null> {
  await sandbox.endProcesses();
  const scratch = await mkdtemp(join(tmpdir(), "forge-replay-"));
  try {
    return await fetchTree(sandbox, sandbox.workdir, scratch, async ({ tree }, copy) => (await hashCopy(copy, tree)).hash);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
