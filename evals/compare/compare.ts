import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import type { ImportedRuns } from "../imported/imported-runs.ts";
import { armsOf, type AnyArm, type InfraReading } from "../arms/arm.ts";
import { modelNotTold } from "../imported/gather-arms.ts";
import { distinctNames, importedNotComparable, importedNotEnded, notKnownOf } from "./imported-arms.ts";
import { summarizeArm, type ArmSummary } from "../arms/arm-summary.ts";
import { notComparable } from "./comparable.ts";
import { compareArms, lostTrials, type Difference } from "./compare-arms.ts";
import { familiesOf, variantsNotKnown } from "./families.ts";
import { conditionsThatDiffer, incomplete, notEnded, shortcomings } from "./conditions.ts";
import { groupDifferences, type GroupDifference } from "./group-differences.ts";
import type { FinishedJob } from "../job/results/load-job.ts";
import { missingTrials, type MissingCounts } from "../arms/missing-trials.ts";
import { isGrid, pairsOf } from "./pairs.ts";
import { followedPair, looksForbid, looksOf, requireLooks, sequentialDifference } from "./sequential/sequential-difference.ts";
import { holm } from "../statistics/holm.ts";
import { showsDifference } from "../statistics/paired-test.ts";
import { tippingPoint, type TippingPoint } from "./tipping-point.ts";
import { tracedFlips, type TracedFlip } from "./flips/traced-flips.ts";
import { adjust, decide, type AdjustedDifference, type Verdict } from "./verdict.ts";

export interface PairComparison {
  readonly a: string;
  readonly b: string;
  /**
   * `agent`: the arms are different agents, or versions of one. With `model and …` the arms' models differ too. `nothing`: one configuration measured twice, which shows
   * how far apart two equal arms come out. `unknown`: the results do not name the models.
   */
  readonly of: "harness" | "agent" | "model and harness" | "model and agent" | "nothing" | "unknown";
  readonly verdict: Verdict;
  /** Trials without a score left out, then counted as failures, then (where there are any) against the claim; p adjusted by Holm over all pairs. */
  readonly readings: readonly AdjustedDifference[];
  /** Trials of both arms without a score, those that are missing among them. */
  readonly lost: number;
  readonly missing: MissingCounts;
  /** Where it shows with those left out and not in each reading: how many of them would have to go against it. */
  readonly tipping?: TippingPoint;
  /** Tasks that only one arm has a score for. */
  readonly leftOut: readonly string[];
  /** The tasks that changed, when trials without a score are left out. */
  readonly flips: readonly TracedFlip[];
  /** Exploratory. */
  readonly groups: readonly GroupDifference[];
}

export interface Comparison {
  readonly jobs: readonly string[];
  readonly suite: string;
  readonly suiteDigest: string;
  readonly simulated: boolean;
  readonly arms: readonly ArmSummary[];
  /** Two or more harnesses with two or more models each. */
  readonly grid: boolean;
  readonly pairs: readonly PairComparison[];
  /** Stated before, a share; undefined without. */
  readonly margin?: number;
  /** What differs between the arms' measurements, and what the jobs lack; each a sentence without its full stop. */
  readonly conditions: readonly string[];
  readonly shortcomings: readonly string[];
  /** Those of the shortcomings that leave open what the whole would have shown: not finished, or invalid. */
  readonly incomplete: readonly string[];
  /** What a verdict would rest on and the results do not say; each a sentence without its full stop. Of Forge's own at most which tasks are variants. */
  readonly notKnown: readonly string[];
  /** Set when the arms measure different things; there are no pairs then. */
  readonly notComparable?: string;
}

export interface CompareOptions {
  /** Name of the configuration that all others are compared with. */
  readonly baseline?: string | undefined;
  /** Folder of the job whose configurations the others' are compared with, each with its namesake. Instead of `baseline`. */
  readonly baselineJob?: string | undefined;
  /** Two arms closer than this are equivalent; a share. */
  readonly margin?: number | undefined;
  /** Of other runners' results: tasks that only one arm has were never meant for the other, and count nowhere. */
  readonly commonTasks?: boolean | undefined;
  /** Tasks whose names differ in a variant's ending alone are one family, where none is named. */
  readonly variants?: boolean | undefined;
}

/**
 * Compares every configuration with the baseline; where none is named, those that the jobs were made to compare, else all pairs; in a grid of models and
 * harnesses, the harnesses of each model.
 * @param imported results of other runners, whose arms stand behind those of the jobs
 */
export function compare(jobs: readonly FinishedJob[], o: CompareOptions = {}, imported: readonly ImportedRuns[] = []): Comparison {
  const reason = notComparable(jobs) ?? importedNotComparable(imported) ?? looksForbid(jobs, imported.length);
  const arms = comparedArms(jobs, o, imported);
  const asked = pairsOf(arms, o, imported.length === 0 ? jobs : []);
  const { familyOf, names } = familiesOf(arms, o.variants ?? false);
  const head = {
    jobs: [...jobs.map((job) => job.folder), ...imported.map((runs) => runs.place)],
    ...suiteOf(jobs, imported, arms),
    notKnown: [...notKnownOf(jobs, imported), ...variantsNotKnown(names)],
    simulated: arms.some((arm) => arm.simulated),
    arms: arms.map(summarizeArm),
    grid: isGrid(arms),
    ...(o.margin === undefined ? {} : { margin: o.margin }),
    conditions: conditionsThatDiffer(arms),
    shortcomings: [
      ...shortcomings(jobs),
      ...imported.flatMap((runs) => runs.shortcomings),
      ...(imported.length > 0 && arms.length < 2 ? ["there is one configuration only, so nothing to compare it with"] : []),
    ],
    incomplete: [...incomplete(jobs), ...imported.flatMap((runs) => runs.incomplete ?? [])],
  };
  if (reason !== undefined) return { ...head, pairs: [], notComparable: reason };
  requireLooks(jobs, asked);
  const looks = jobs[0] && looksOf(jobs[0]);
  const followed = asked.map(([a, b]) => looks && followedPair(looks, a, b));
  const lacking = asked.map(([a, b]) => missingTrials(a, b, { commonTasks: o.commonTasks }));
  const difference = ([a, b]: [AnyArm, AnyArm], i: number, reading: InfraReading): Difference => {
    const pair = followed[i];
    const by = { reading, comparisons: asked.length, familyOf: pair && !looks?.families ? undefined : familyOf };
    return pair ? sequentialDifference(pair, [a, b], { ...by, margin: o.margin }) : compareArms(a, b, { ...by, missing: lacking[i] });
  };
  const lost = asked.map(([a, b], i) => lostTrials(a, b) + missingOf(lacking[i]?.counts));
  const excluded = asked.map((pair, i) => difference(pair, i, "excluded"));
  const readings = (["excluded", "failed", "against"] as const).map((reading) =>
    adjust(
      asked.map((pair, i) => {
        const plain = excluded[i];
        return plain && lost[i] === 0 ? { ...plain, reading } : difference(pair, i, reading);
      }),
      o.margin,
    ),
  );
  if (asked.length > 0 && readings[0]?.every((difference) => difference.tasks === 0))
    return { ...head, pairs: [], notComparable: "the configurations have no task in common that both have a score for" };
  const pairs = asked.map(([a, b], i): PairComparison => {
    const all = readings.flatMap((reading) => reading[i] ?? []);
    const told = lost[i] === 0 ? all.slice(0, 2) : all;
    const compared = new Set(told[0]?.flips.map((flip) => flip.task));
    const pair = followed[i];
    const [main] = told;
    const seen = main && !pair ? ([1, -1] as const).find((sign) => shownBy(main, sign)) : undefined;
    const isFragile = seen !== undefined && told.some((one) => !shownBy(one, seen));
    const tipping = isFragile
      ? tippingPoint([a, b], seen, { comparisons: asked.length, missing: lacking[i], familyOf }, (difference) => {
          const ps = excluded.map(({ p }, at) => (at === i ? difference.p : p));
          return shownBy({ adjustedP: holm(ps)[i] ?? 1, newTasks: difference.newTasks }, seen);
        })
      : undefined;
    const better = pair?.decision ? (pair.decision.better === pair.a ? ("a" as const) : ("b" as const)) : null;
    return {
      a: a.name,
      b: b.name,
      of: effectOf(a, b),
      verdict: decide({
        a: a.name,
        b: b.name,
        missing: lacking[i]?.counts,
        under: head.grid && a.model === b.model ? a.model : undefined,
        notEnded:
          notEnded(jobs.filter(({ folder }) => a.jobs.includes(folder) || b.jobs.includes(folder))) ??
          importedNotEnded(imported.filter(({ place }) => a.jobs.includes(place) || b.jobs.includes(place))),
        readings: told,
        simulated: a.simulated || b.simulated,
        margin: o.margin,
        comparisons: asked.length,
        tipping,
        looks: pair && looks ? { better, tasks: pair.tasks.length, planned: looks.planned } : undefined,
      }),
      readings: told,
      lost: lost[i] ?? 0,
      ...(tipping ? { tipping } : {}),
      missing: lacking[i]?.counts ?? noneMissing,
      leftOut: pair ? [] : [...new Set([...a.tasks.keys(), ...b.tasks.keys()])].filter((task) => !compared.has(task)),
      flips: tracedFlips(a, b, told[0]?.flips ?? []),
      groups: groupDifferences(a, told[0]?.flips ?? []),
    };
  });
  return { ...head, pairs };
}

const shownBy = ({ adjustedP, newTasks }: Pick<AdjustedDifference, "adjustedP" | "newTasks">, sign: 1 | -1): boolean =>
  showsDifference([{ p: adjustedP, interval: newTasks }], sign);

const noneMissing: MissingCounts = { a: { missing: 0, of: 0 }, b: { missing: 0, of: 0 }, tasks: 0 };
const missingOf = ({ a, b } = noneMissing): number => a.missing + b.missing;

/** Of results without digests: by the names of their tasks. */
function suiteOf(
  jobs: readonly FinishedJob[],
  imported: readonly ImportedRuns[],
  arms: readonly AnyArm[],
): Pick<Comparison, "suite" | "suiteDigest"> {
  const [first] = jobs;
  if (first) return { suite: first.lock.suite.name, suiteDigest: first.lock.suite.digest };
  const names = new Set(imported.map((runs) => runs.suite ?? runs.place));
  const tasks = [...new Set(arms.flatMap((arm) => [...arm.tasks.keys()]))].toSorted();
  return { suite: [...names].join(", "), suiteDigest: sha256(canonicalJson(tasks)) };
}

/** The arms of a comparison, under the names that it gives them. */
export function comparedArms(
  jobs: readonly FinishedJob[],
  o: Pick<CompareOptions, "baselineJob"> = {},
  imported: readonly ImportedRuns[] = [],
): AnyArm[] {
  const pool = (notComparable(jobs) ?? importedNotComparable(imported)) === undefined;
  const own = armsOf(jobs, { pool, apart: o.baselineJob });
  return imported.length === 0 ? own : distinctNames([...own, ...imported.flatMap((runs) => runs.arms)]);
}

function effectOf(a: AnyArm, b: AnyArm): PairComparison["of"] {
  if (a.model === modelNotTold || b.model === modelNotTold) return "unknown";
  const agents = a.agent !== b.agent;
  if (a.model !== b.model) return agents ? "model and agent" : "model and harness";
  if (agents) return "agent";
  return a.harnessHash === b.harnessHash && a.modelHash === b.modelHash && a.forgeVersion === b.forgeVersion ? "nothing" : "harness";
}
