import { join } from "node:path";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import { hashCopy } from "../../harness/sandbox/workspace-hash.ts";
import { fetchTree } from "./fetch-tree.ts";
import { judged, type Judgement, type Workspace } from "./judgement.ts";
import type { AttemptSetting, TrialPlan } from "./plan.ts";
import { runVerifier } from "./run-verifier.ts";

/** Workdirs of imported tasks may be anything, `/` too; larger ones are not copied for their hash. */
const maxWorkdirKib = 200 * 1024;

/**
 * As the format's own runner does it: the verifier runs where the agent worked, with the agent's processes alive, and a reward that cannot be
 * read counts 0.
 */
export async function judgeOfficial(plan: TrialPlan, setting: AttemptSetting, sandbox: Sandbox): Promise<Judgement> {
  const workspace = await hashWorkdir(sandbox, setting);
  const folder = join(setting.folder, "verifier");
  const reading = await runVerifier({ task: plan.task, sandbox, fresh: false, folder, signal: setting.signal });
  return judged(reading, workspace, 0);
}

async function hashWorkdir(sandbox: Sandbox, { folder, signal }: AttemptSetting): Promise<Workspace> {
  const without = (why: string): Workspace => ({ hash: { hash: null, why: `The workspace hash was not taken: ${why}.` } });
  if (sandbox.workdir === "/") return without("the workdir is the whole file system");
  const size = await sandbox.exec("du -sk . | head -n 1", { timeoutMs: 20_000, signal });
  const kib = /^\d+/.exec(new TextDecoder().decode(size.stdout))?.[0];
  if (kib === undefined || Number(kib) > maxWorkdirKib)
    return without(`the workdir has ${kib ?? "an unknown number of"} KiB, and more than ${maxWorkdirKib} are not copied`);
  return fetchTree(sandbox, sandbox.workdir, folder, async ({ tree }, copy) => ({ hash: await hashCopy(copy, tree) }));
}
