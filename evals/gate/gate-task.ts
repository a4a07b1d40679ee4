import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import type { JsonObject } from "../../harness/json.ts";
import { loadTrace } from "../../traces/read/load-trace.ts";
import { findRuns } from "../../traces/store/find-runs.ts";
import type { Agent } from "../bench-ports.ts";
import type { TrialRecord } from "../trial/trial-record.ts";
import { CannotError } from "../../harness/errors.ts";
import { attackName } from "./attacks/attack-task.ts";
import { checkTask, type CheckDepth, type CheckedAgent, type CheckedTrial, type CheckReport } from "./check-task.ts";
import { notTried, type Condition } from "./conditions/condition.ts";
import { disturbedTask } from "./conditions/disturbed-task.ts";
import type { Measured } from "./resources.ts";
import type { Task } from "../../tasks/task.ts";
import { attackOne } from "./attacks/attack-one.ts";
import { loneTrial, type LoneTrialSetting } from "./lone-trial.ts";
import type { ConfigRegistry } from "../../harness/config/config-registry.ts";
import { benchSources } from "../../harness/config/config-source.ts";
import { loadConfig } from "../../harness/config/load-config.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";

/** Holds one task to the gate with real trials; the setting's configuration is `checkConfig`'s. Throws the reason when it was stopped. */
export async function gateTask(task: Task, setting: LoneTrialSetting, depth: CheckDepth): Promise<CheckReport> {
  let trials = 0;
  const built = depth.full && setting.sandbox === "docker" && !task.environment.compose;
  return checkTask(
    task,
    {
      runAs: (who, condition) => runAs(task, who, condition, { ...setting, label: `-${++trials}` }),
      listImageFiles: () => listImageFiles(task, setting),
      ...(built && {
        imageSecrets: async () => {
          const { digest } = await setting.ports.provider("docker").prepare(task.environment, { signal: setting.stop });
          return setting.ports.imageSecrets(digest, setting.stop);
        },
      }),
      ...(depth.full &&
        task.forge &&
        setting.sandbox === "docker" && {
          attack: () => attacked(task, setting),
        }),
    },
    depth,
  );
}

/** What cannot be attacked is not tried, and the gate goes on to what else there is, and to other tasks. */
async function attacked(
  task: Task,
  setting: LoneTrialSetting,
): Promise<{ readonly tried: number; readonly passed: readonly string[]; readonly notTried: readonly string[] }> {
  try {
    const { attacks, notTried } = await attackOne(task, setting);
    const passed = attacks.filter((attack) => attack.passed);
    return { tried: attacks.length, passed: passed.map(attackName), notTried: notTried.map(attackName) };
  } catch (error) {
    if (setting.stop.aborted || !(error instanceof CannotError)) throw error;
    return { tried: 0, passed: [], notTried: [error.message] };
  }
}

async function runAs(
  task: Task,
  who: CheckedAgent,
  condition: Condition | undefined,
  { label, ...setting }: LoneTrialSetting & { readonly label: string },
): Promise<CheckedTrial> {
  const name = who.type === "wrong" ? `wrong-${who.name}` : who.type;
  const agent: Agent =
    who.type === "wrong"
      ? { name, command: `sh "\${FORGE_SOLUTION:-/solution}/wrong/${who.name}.sh"` }
      : who.type === "plan"
        ? "configured"
        : who.type;
  const tried =
    condition === undefined ? task : await disturbed(task, condition, join(setting.folder, `${encodeURIComponent(task.name)}${label}`));
  const { record, verifier, out } = await loneTrial(tried, agent, setting, { label });
  if (!record) throw new CannotError(`The check of ${task.name} was stopped.`);
  const passed = record.passed === true;
  const failedCheck = who.type === "plan" && passed ? await failedCheckOf(task, out) : undefined;
  const obstacle = condition === undefined ? undefined : await whyNotTried(out);
  return {
    passed,
    detail: passed ? "" : `${record.error ?? ""} ${verifier}`.trim() || `class ${record.class}, no output of the verifier`,
    measured: measuredOf(record),
    ...(failedCheck !== undefined && { failedCheck }),
    ...(obstacle !== undefined && { notTried: obstacle }),
  };
}

async function disturbed(task: Task, condition: Condition, folder: string): Promise<Task> {
  await mkdir(folder, { recursive: true });
  return disturbedTask(task, condition, folder);
}

function measuredOf({ activeMs, wallMs, usage }: TrialRecord): Measured {
  const { memoryPeakBytes, storagePeakBytes, oomKills, pidsRefused } = usage ?? {};
  const refusals = (oomKills ?? 0) + (typeof pidsRefused === "number" ? pidsRefused : 0);
  return {
    agentMs: activeMs,
    restMs: wallMs - activeMs,
    refusals,
    ...(memoryPeakBytes !== undefined && { memoryPeakBytes }),
    ...(typeof storagePeakBytes === "number" && { storagePeakBytes }),
  };
}

/** The command of the first check of the task's plan that ended with an error in the trial below `out`. */
async function failedCheckOf({ plan }: Task, out: string): Promise<string | undefined> {
  const checks = new Set(plan?.steps.flatMap((step) => (step.check ? step.calls.map(callKey) : [])));
  for (const folder of await findRuns(out)) {
    const { events } = await loadTrace(folder);
    const failed = new Set(events.flatMap(({ t, d }) => (t === "tool.result" && !passedCall(d) ? [d["callId"]] : [])));
    const last = new Map<string, z.infer<typeof calledSchema>["call"]>(); // the same command may fail before the work, to show what is wrong
    for (const { t, d } of events) {
      const { call } = t === "tool.call" ? calledSchema.parse(d) : {};
      if (call) last.set(callKey({ tool: call.name, args: call.args }), call);
    }
    for (const check of checks) {
      const call = last.get(check);
      if (call && failed.has(call.id)) return String(call.args["command"] ?? call.name);
    }
  }
  return undefined;
}

const calledSchema = z.looseObject({ call: z.looseObject({ id: z.string(), name: z.string(), args: z.record(z.string(), z.json()) }) });
const passedCall = (d: JsonObject): boolean => z.looseObject({ reply: z.looseObject({ status: z.literal("ok") }) }).safeParse(d).success;
const callKey = ({ tool, args }: { readonly tool: string; readonly args: JsonObject }): string => canonicalJson([tool, args]);

/** What the disturbed verifier said of a disturbance that it could not make. */
async function whyNotTried(out: string): Promise<string | undefined> {
  const logs = (await readdir(out, { recursive: true })).filter((path) => path.endsWith(join("verifier", "stderr.txt")));
  for (const path of logs) {
    const said = (await readFile(join(out, path), "utf8")).split("\n").find((one) => one.startsWith(notTried));
    if (said !== undefined) return said.slice(notTried.length).trim();
  }
  return undefined;
}

async function listImageFiles(task: Task, { ports, sandbox, stop }: LoneTrialSetting): Promise<string[]> {
  const prepared = await ports.provider(sandbox).prepare(task.environment, { signal: stop });
  const fresh = await prepared.create({ labels: { job: "check", trial: task.name } });
  try {
    const places = sandbox === "docker" ? "/" : '"$FORGE_WORKDIR" "$FORGE_TESTS" "${FORGE_SOLUTION:-/solution}"';
    const { stdout } = await fresh.exec(`find ${places} -xdev -type f 2>/dev/null`, { maxBytes: 64 * 1024 * 1024 });
    return new TextDecoder()
      .decode(stdout)
      .split("\n")
      .filter((path) => path !== "");
  } finally {
    await fresh.close();
  }
}

/** The configuration of trials that check a task: nobody works there but scripts, and a simulated model that carries the task's plan out without a mistake. */
export const checkConfig = (registry: ConfigRegistry): Promise<ResolvedConfig> =>
  loadConfig(benchSources({ config: "bare", cwd: process.cwd(), defaultModel: "sim/perfect" }), registry);
