import { loadConfig } from "../../harness/config/load-config.ts";
import { recordedModel } from "../../harness/config/recorded-model.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { ForgeError, messageOf } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import { dryRun, type DryRun } from "../../traces/replay/dry/dry-run.ts";
import type { OtherConfig } from "../../traces/replay/dry/other-config.ts";
import type { ReplayParts } from "../../traces/replay/replay-parts.ts";
import { loadRecording } from "../../traces/replay/verify/load-recording.ts";
import type { RunLine } from "../analysis/run-line.ts";
import type { IssueDraft } from "../issues/issue-draft.ts";
import { priorityOf } from "./priority.ts";
import type { Radius } from "./radius.ts";

/** The patches of the first issues, and of each so many runs and turns: bounded by what is replayed and not by the clock, so that the same runs give the same. */
const most = { patches: 5, runs: 60, turns: 600 } as const;

export interface Replaying {
  readonly runs: readonly RunLine[];
  /** Where a run is stored. */
  readonly folderOf: (run: string) => string | undefined;
  readonly parts: ReplayParts;
  readonly signal: AbortSignal;
}

/**
 * Lays the patch of each issue under the recorded runs of its configuration: what would have gone otherwise, without a model. What a patch does not reach it
 * cannot win, and a passed run that it reaches may be lost. The same runs in any order give the same.
 */
export async function replayPatches(drafts: readonly IssueDraft[], o: Replaying): Promise<IssueDraft[]> {
  const first = drafts.filter(({ change, base }) => change && base).slice(0, most.patches);
  const asked: IssueDraft[] = [];
  for (const draft of drafts) asked.push(first.includes(draft) ? await replayPatch(draft, o) : draft);
  return asked;
}

/** What a patch does to a run. `sent`: it is sent another prompt or other settings, as every run, and more cannot be told. */
type Effect = "touched" | "same" | "not known" | "sent";

async function replayPatch(draft: IssueDraft, o: Replaying): Promise<IssueDraft> {
  const own = o.runs.filter(({ hash, passed }) => hash === draft.base?.hash && passed !== null);
  const effects = new Map<RunLine, Effect>();
  const done = (every: Radius["every"], why = ""): IssueDraft => withRadius(draft, { own, effects, every, why }, o.runs);
  let laid: Laid | string;
  try {
    laid = await lay(draft, own, o);
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    laid = messageOf(error); // a middleware of the user's that is not trusted here, or has gone
  }
  if (typeof laid === "string") return done(null, laid);
  const { before, config } = laid;
  const every = sentToAll(before, config);
  if (every) {
    const gone = before.tools.map(({ name }) => name).filter((name) => !config.tools.some((tool) => tool.name === name));
    for (const line of own) effects.set(line, line.used.some((tool) => gone.includes(tool)) ? "touched" : "sent");
    return done(every);
  }
  const limits = JSON.stringify(before.limits) !== JSON.stringify(config.limits);
  for (const line of sampleOf(own, draft)) {
    o.signal.throwIfAborted();
    const dry = await askOne(o.folderOf(line.run), laid);
    if (dry) effects.set(line, effectOf(dry, limits));
  }
  return done(null);
}

interface Laid extends OtherConfig {
  /** Without the patch: it has the recorded harness hash. */
  readonly before: ResolvedConfig;
}

/** The configuration with the patch; a sentence where it cannot be had. */
async function lay({ base, change }: IssueDraft, own: readonly RunLine[], { folderOf, parts }: Replaying): Promise<Laid | string> {
  const folder = own.map(({ run }) => folderOf(run)).find((one) => one !== undefined);
  if (folder === undefined || !base || !change) return "Its runs were not found.";
  const start = (await loadRecording(folder)).events[0];
  if (start?.t !== "run.start") return "Its runs do not say how they were configured.";
  const { model } = start.d["config"] as unknown as ResolvedConfig;
  const sources = [
    { kind: "values" as const, label: "the recording", config: { model: recordedModel(model) } },
    { kind: "values" as const, label: base.name, config: base.file },
  ];
  const before = await loadConfig(sources, parts.registry);
  if (before.hash !== base.hash) return "This Forge does not build the configuration that was recorded, so nothing can be held against it.";
  const config = await loadConfig([...sources, { kind: "values", label: "the patch", config: change }], parts.registry);
  return { before, config, middleware: await parts.assemble(config, { trust: false }) };
}

/** What of the configuration is in every request. */
function sentToAll(before: ResolvedConfig, after: ResolvedConfig): Radius["every"] {
  const differ = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);
  if (differ([before.system, before.tools, before.model.protocol], [after.system, after.tools, after.model.protocol])) return "prompt";
  return differ(before.model, after.model) ? "settings" : null;
}

/** Failed runs that show the mechanism first; within both, in an order that their content and the issue give. */
function sampleOf(own: readonly RunLine[], { id, runs }: IssueDraft): RunLine[] {
  const shown = new Set(runs);
  const rank = new Map(own.map((line) => [line, sha256(id, line.digest)]));
  const first = (line: RunLine): number => (line.passed === false && shown.has(line.run) ? 0 : 1);
  const sorted = own.toSorted((a, b) => first(a) - first(b) || ((rank.get(a) ?? "") < (rank.get(b) ?? "") ? -1 : 1));
  const lost = sorted.filter((line) => first(line) === 0).slice(0, most.runs / 2);
  const sample: RunLine[] = [];
  let turns = 0;
  for (const line of [...lost, ...sorted.filter((one) => first(one) === 1)].slice(0, most.runs)) {
    turns += line.turns;
    if (turns > most.turns && sample.length > 0) break;
    sample.push(line);
  }
  return sample;
}

/** Undefined for a run that cannot be replayed: it was damaged since, or its configuration is of a later Forge. */
async function askOne(folder: string | undefined, { config, middleware }: OtherConfig): Promise<DryRun | undefined> {
  if (folder === undefined) return undefined;
  try {
    return await dryRun(await loadRecording(folder), { config, middleware });
  } catch (error) {
    if (error instanceof ForgeError) return undefined;
    throw error;
  }
}

/** @param limits the patch changes them: a run that had come to its old one goes on, and what its model would say then was not recorded */
function effectOf({ triggers, before, divergence, notKnown, error, unanswered }: DryRun, limits: boolean): Effect {
  const acts = triggers.some(({ effect, already }) => effect !== "note" && !already) || Object.values(before).some((count) => count > 0);
  if (acts || (limits && (divergence ?? notKnown) !== undefined)) return "touched";
  return error !== undefined || notKnown !== undefined || Object.keys(unanswered).length > 0 ? "not known" : "same";
}

interface Effects {
  readonly own: readonly RunLine[];
  readonly effects: ReadonlyMap<RunLine, Effect>;
  readonly every: Radius["every"];
  readonly why: string;
}

/** The issue with what was found: runs that nothing would change win nothing, and count for no task. */
function withRadius(draft: IssueDraft, { own, effects, every, why }: Effects, runs: readonly RunLine[]): IssueDraft {
  const having = (effect: Effect): RunLine[] => [...effects].flatMap(([line, had]) => (had === effect ? [line] : []));
  const shown = new Set(draft.runs);
  const failed = runs.filter((line) => line.passed === false && shown.has(line.run));
  const replayed = failed.filter((line) => effects.has(line));
  const same = replayed.filter((line) => effects.get(line) === "same");
  const moved = replayed.length === 0 ? 1 : 1 - same.length / replayed.length;
  const gain = draft.gain * moved;
  const fixed = new Set(failed.filter((line) => !same.includes(line)).map(({ task }) => task));
  const touched = having("touched");
  const radius: Radius = {
    replayed: effects.size,
    of: own.length,
    every,
    touched: sidesOf(touched),
    notKnown: sidesOf(having("not known")),
    shown: { replayed: replayed.length, touched: replayed.length - same.length },
    why,
  };
  const lost = runs.filter(({ passed }) => passed === false).length;
  return {
    ...draft,
    radius,
    gain,
    predictedFixes: draft.predictedFixes.filter((task) => fixed.has(task)),
    atRisk:
      effects.size === 0 ? draft.atRisk : [...new Set(touched.flatMap(({ task, passed }) => (passed === true ? [task] : [])))].toSorted(),
    priority: priorityOf({ gain, failed: lost, patched: true, reached: radius.touched.passed }),
  };
}

const sidesOf = (lines: readonly RunLine[]): Radius["touched"] => ({
  failed: lines.filter(({ passed }) => passed === false).length,
  passed: lines.filter(({ passed }) => passed === true).length,
});
