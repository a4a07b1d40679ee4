import { join } from "node:path";
import { messageOf } from "../../../harness/errors.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import type { DeltaRecord } from "../trial-record.ts";
import { carriedEntries } from "../sandbox/bounds.ts";
import { collectPath } from "../keep/collect-changes.ts";
import { fetchTree, type FetchedTree } from "../keep/fetch-tree.ts";
import { judged, type Judgement, type Workspace } from "./judgement.ts";
import { dropCollected, keepDelta, leftOut } from "../keep/store-delta.ts";
import { createSandbox } from "../sandbox/make-sandbox.ts";
import { remembered, type AttemptSetting, type TrialPlan } from "../trial-plan.ts";
import { knowsSolution } from "../sandbox/ready-for-agent.ts";
import { runVerifier } from "./run-verifier.ts";
import { placeOf } from "../sandbox/sandbox-places.ts";

/** Workdirs of imported tasks may be anything, `/` too; larger ones are not copied. */
const maxWorkdirKib = 200 * 1024;
/** The same again for the copy: on a disk, a file with holes is smaller than it says. */
const maxBytes = maxWorkdirKib * 1024;
const maxEntries = carriedEntries;

/**
 * As the format's own runner does it: the verifier runs where the agent worked, with the agent's processes alive, and a reward that cannot be
 * read counts 0. What the agent changed in the workdir is taken before, and nothing in that changes the verdict.
 */
export async function judgeOfficial(plan: TrialPlan, setting: AttemptSetting, sandbox: Sandbox): Promise<Judgement> {
  const left = await takeWorkdir(plan, setting, sandbox);
  const folder = join(setting.folder, "verifier");
  const solutionEnv = knowsSolution(plan) ? plan.task.solution?.env : undefined;
  const of = { task: plan.task, sandbox, fresh: false, folder, signal: setting.signal };
  const reading = await runVerifier({ ...of, ...(solutionEnv ? { solutionEnv } : {}) });
  return { ...judged(reading, left.workspace, 0), delta: left.delta };
}

async function takeWorkdir(
  plan: TrialPlan,
  setting: AttemptSetting,
  sandbox: Sandbox,
): Promise<{ workspace: Workspace; delta: DeltaRecord }> {
  const without = (why: string) => ({
    workspace: { hash: { hash: null, why: `The workspace hash was not taken: ${why}.` } },
    delta: leftOut(why),
  });
  const { workdir } = setting.prepared;
  try {
    if (workdir === "/") return without("the workdir is the whole file system");
    const size = await sandbox.exec("du -sk . | head -n 1", { timeoutMs: 20_000, signal: setting.signal });
    const kib = /^\d+/.exec(new TextDecoder().decode(size.stdout))?.[0];
    if (kib === undefined) return without("the size of the workdir is not known");
    if (Number(kib) > maxWorkdirKib) return without(`the workdir has ${kib} KiB, and more than ${maxWorkdirKib} are not copied`);
    const pristine = await remembered(setting.memory.pristine, `${setting.prepared.digest} ${workdir}`, () =>
      pristineWorkdir(plan, setting),
    );
    const folder = join(setting.folder, "delta", "0");
    const collected = await collectPath({
      sandbox,
      path: workdir,
      at: placeOf(workdir, workdir, sandbox),
      pristine,
      folder,
      isWorkdir: true,
      maxBytes,
      maxEntries,
    });
    const { workspace, delta } = collected;
    const hash = workspace ?? { hash: null, why: "The workspace hash was not taken." };
    return { workspace: { hash, delta }, delta: await keepDelta([collected], setting) };
  } catch (error) {
    await dropCollected(setting);
    setting.signal.throwIfAborted();
    return without(messageOf(error).replace(/\.$/, "")); // a sandbox that is gone shows in the verification
  }
}

/** What the image has there; asked once for all trials of the task. */
async function pristineWorkdir(plan: TrialPlan, setting: AttemptSetting): Promise<FetchedTree> {
  const fresh = await createSandbox(plan, setting);
  try {
    return await fetchTree(
      fresh,
      placeOf(setting.prepared.workdir, setting.prepared.workdir, fresh),
      setting.folder,
      async (fetched) => fetched,
      { maxBytes, maxEntries },
    );
  } finally {
    await fresh.close();
  }
}
