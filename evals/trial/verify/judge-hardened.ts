import { join } from "node:path";
import { ConfigError, InfraError } from "../../../harness/errors.ts";
import { SandboxPathError, type Sandbox } from "../../../harness/sandbox/sandbox.ts";
import type { Tree } from "../../../harness/sandbox/workspace/tree.ts";
import { carriedBytes, carriedEntries } from "../sandbox/bounds.ts";
import { carriedPaths } from "../keep/carried-paths.ts";
import { collectPath, type CollectedPath } from "../keep/collect-changes.ts";
import { OutsideError } from "../evidence/evidence.ts";
import { fetchTree, type FetchedTree } from "../keep/fetch-tree.ts";
import { judged, type Judgement } from "./judgement.ts";
import { leaveToImage, placesTouched } from "../keep/leave-image-places.ts";
import { dropCollected, keepDelta } from "../keep/store-delta.ts";
import { createSandbox } from "../sandbox/make-sandbox.ts";
import { remembered, type AttemptSetting, type TrialPlan } from "../trial-plan.ts";
import type { RewardReading } from "./read-rewards.ts";
import { placeOf } from "../sandbox/sandbox-places.ts";
import { verifySnapshot, verifyLive } from "./verify-whole.ts";
import { verifyFresh, verifyUntouched } from "./verify-fresh.ts";

/** A verifier that fails for no reason of the agent's gets this many fresh sandboxes. */
const verifications = 2;

/**
 * Verification that the agent cannot reach (by default; `verify-whole.ts` has the other ways): what it started is ended, what it changed under the declared paths is carried into a fresh sandbox of
 * the same environment, and only there do the tests exist. A reward that stays unreadable is the agent's failure only where an untouched
 * environment gets a readable one.
 */
export async function judgeHardened(plan: TrialPlan, setting: AttemptSetting, sandbox: Sandbox): Promise<Judgement> {
  const paths = carriedPaths(plan.task, setting.prepared.workdir);
  const verify = wayToVerify(plan, setting);
  if (verify !== "live") await sandbox.endProcesses();
  let next: Promise<Sandbox> | undefined;
  const fresh = (): Promise<Sandbox> => {
    next ??= createSandbox(plan, setting);
    next.catch(() => undefined);
    return next;
  };
  // The first verification's sandbox starts while the agent's files are fetched.
  if (verify === "workdir") void fresh();
  try {
    const collected: CollectedPath[] = [];
    const places =
      verify === "workdir"
        ? await remembered(setting.memory.places, JSON.stringify([setting.prepared.digest, setting.prepared.workdir, paths]), () =>
            placesTouched(paths, setting.prepared.workdir, fresh),
          )
        : undefined;
    for (const [i, path] of paths.entries()) {
      const pristine = await remembered(setting.memory.pristine, `${setting.prepared.digest} ${path}`, async () =>
        pristineAt(plan, setting, await fresh(), path),
      );
      const at = placeOf(path, setting.prepared.workdir, sandbox);
      collected.push(
        await collectPath({
          sandbox,
          path,
          at,
          pristine,
          folder: join(setting.folder, "delta", String(i)),
          isWorkdir: path === setting.prepared.workdir,
          ...(places ? { leave: (delta, base, before) => leaveToImage(delta, base, before, places, paths) } : {}),
          maxBytes: (pristine.bytes ?? 0) + carriedBytes(plan),
          maxEntries: sizeOfTree(pristine.tree) + carriedEntries,
        }),
      );
    }
    if (verify === "workdir" && setting.goesOn !== true) sandbox.close().catch(() => undefined); // while the verifier works
    const workspace = workspaceOf(collected, setting.prepared.workdir);
    let reading: RewardReading = { type: "unreadable", why: "not verified" };
    for (let i = 1; i <= (verify === "live" ? 1 : verifications) && reading.type === "unreadable"; i += 1) {
      const folder = join(setting.folder, "verifier", i === 1 ? "" : String(i));
      if (verify !== "workdir") {
        reading = await (verify === "live" ? verifyLive : verifySnapshot)(plan, setting, sandbox, folder);
        continue;
      }
      const given = fresh();
      next = undefined;
      reading = await verifyFresh(plan, setting, await given, collected, folder);
    }
    // Every sandbox it had was taken away by someone: nothing was verified, and that shows nothing about the agent.
    if (reading.type === "unreadable" && reading.fault) throw new OutsideError(reading.fault);
    const fair = reading.type === "rewards" || (await verifyUntouched(plan, setting)).type === "rewards";
    return { ...judged(reading, workspace, fair ? 0 : null), delta: await keepDelta(collected, setting) };
  } finally {
    await next?.then((unused) => unused.close()).catch(() => undefined);
    await dropCollected(setting); // also of a verification that broke off
  }
}

/** Where the system is read-only for an agent, as in bubblewrap, the declared paths are all it can leave, and a snapshot says no more. */
function wayToVerify({ task, sandbox }: TrialPlan, { prepared }: AttemptSetting): "workdir" | "snapshot" | "live" {
  const { verify = "workdir" } = task.forge ?? {};
  if (verify === "snapshot" && sandbox !== "docker") return "workdir";
  if (verify === "workdir" || (prepared.createFrom && prepared.repair)) return verify;
  const cure = sandbox === "docker" ? "a task of one container" : "--sandbox docker";
  throw new ConfigError(
    `${task.folder}/task.toml: metadata.forge.verify: "${verify}" cannot be carried out here; choose ${cure}, or verify = "workdir".`,
  );
}

/** As an archive of it counts: its top, and what no tree carries, too. */
const sizeOfTree = ({ entries, skipped }: Tree): number => 1 + entries.size + skipped.length;

/** What the image has there. Where that cannot be copied, no agent had a hand in it. */
async function pristineAt({ task }: TrialPlan, setting: AttemptSetting, fresh: Sandbox, path: string): Promise<FetchedTree> {
  try {
    const at = placeOf(path, setting.prepared.workdir, fresh);
    return await fetchTree(fresh, at, setting.folder, async (fetched) => fetched, { measure: true });
  } catch (error) {
    if (!(error instanceof SandboxPathError)) throw error;
    throw new InfraError(
      `${task.folder}: what the environment has at ${path} cannot be carried into verification: ${error.message} Name smaller places in task.toml, metadata.forge.paths.`,
    );
  }
}

function workspaceOf(collected: readonly CollectedPath[], workdir: string): Judgement["workspace"] {
  const own = collected.find(({ path }) => path === workdir);
  const why = `The workspace hash was not taken: the declared paths do not name the workdir ${workdir}.`;
  return own ? { hash: own.workspace ?? { hash: null, why }, delta: own.delta } : { hash: { hash: null, why } };
}
