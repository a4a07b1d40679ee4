import { wilson } from "../../evals/statistics/interval.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import type { RunLine } from "../analysis/run-line.ts";
import { clusterFaults, type Cluster } from "../clusters/cluster-faults.ts";
import type { RunFaults } from "../clusters/faults-of-runs.ts";
import { contrastDetector } from "../contrast/contrast-faults.ts";
import type { Contrast } from "../contrast/contrast-runs.ts";
import type { Lever } from "../contract.ts";
import { configText, type BaseConfig } from "../proposals/base-config.ts";
import { predict } from "../proposals/predict.ts";
import { priorityOf } from "../proposals/priority.ts";
import { propose } from "../proposals/propose.ts";
import type { IssueDraft } from "./issue-draft.ts";

export interface Drafting {
  readonly runs: readonly RunFaults[];
  readonly contrasts: readonly Contrast[];
  readonly bases: ReadonlyMap<string, BaseConfig>;
}

/** Fewer failed runs of one cause are an incident; where there are few failed runs at all, each is looked at. */
export const leastLost = (failed: number): number => (failed < 10 ? 1 : 2);

/** The issues of an analysis, the one that lost most first. What they are called in a store is not known here. */
export function draftIssues({ runs, contrasts, bases }: Drafting): IssueDraft[] {
  const failed = runs.filter(({ line }) => line.passed === false).length;
  return clusterFaults(runs)
    .flatMap((cluster) => {
      const lost = cluster.members.filter(({ run, rank }) => run.line.passed === false && rank === 1).map(({ run }) => run.line);
      return lost.length < leastLost(failed) ? [] : [draftOf(cluster, lost, { runs, contrasts, bases, failed })];
    })
    .toSorted((a, b) => b.lost - a.lost || b.gain - a.gain || (a.id < b.id ? -1 : 1));
}

/** @param o.lever what the analyst would change, where it named the cluster @param o.winnable of the lost runs those that count as a gain; left out: all */
export function draftOf(
  cluster: Cluster,
  lost: readonly RunLine[],
  o: Drafting & { readonly failed: number; readonly winnable?: readonly RunLine[]; readonly lever?: Lever },
): IssueDraft {
  const judged = cluster.members.filter(({ run }) => run.line.passed !== null);
  const lines = judged.map(({ run }) => run.line);
  const [failed, passed] = [lines.filter((line) => line.passed === false), lines.filter((line) => line.passed === true)];
  const members = new Set(lines.map(({ run }) => run));
  const without = o.runs.map(({ line }) => line).filter(({ run }) => !members.has(run));
  const [first] = cluster.shapes;
  const kind = first?.kind ?? "unclear";
  const proposal = propose(kind, [...new Set(cluster.shapes.map(({ detector }) => detector))], lost, o.bases, o.lever);
  const { gain, fixes, guessed } = predict(o.winnable ?? lost, without);
  const telling = isTelling(lines, without);
  const measured = o.contrasts.find(({ feature }) => cluster.shapes.some(({ detector }) => detector === contrastDetector(feature)));
  const share = wilson(failed.length, lines.length);
  const id = sha256(measured?.feature ?? cluster.shapes.map(({ key }) => key).toSorted()[0] ?? "").slice(0, 8);
  const title = titleOf(cluster, measured);
  return {
    id,
    title,
    kind,
    mechanism: mechanismOf(cluster),
    runs: [...failed, ...passed].map(({ run }) => run),
    failed: failed.length,
    passed: passed.length,
    interval: [share.low, share.high],
    families: unique(lines.map(({ family }) => family)),
    configurations: unique(lines.map(({ configuration }) => configuration)),
    models: unique(lines.map(({ model }) => model)),
    lever: proposal.lever,
    patch: proposal.change && proposal.base ? patchText(title, proposal.title, proposal.base.name, proposal.change) : null,
    predictedFixes: telling ? [...fixes] : [],
    atRisk: atRisk(proposal.change?.tools, proposal.base?.hash, o.runs),
    priority: priorityOf({ gain: telling ? gain : 0, failed: o.failed, patched: proposal.change !== null }),
    status: "open",
    keys: cluster.shapes.map(({ key }) => key).toSorted(),
    lost: lost.length,
    tasks: unique(failed.map(({ task }) => task)),
    forms: formsOf(cluster),
    evidence: evidenceOf(cluster),
    suggestion: proposal.title,
    because: proposal.evidence,
    alternatives: [...proposal.alternatives],
    change: proposal.change,
    base: proposal.base,
    gain: telling ? gain : 0,
    guessed,
    radius: null,
    contrast: measured
      ? {
          oddsRatio: finite(measured.oddsRatio),
          low: finite(measured.low),
          high: finite(measured.high),
          p: measured.p,
          q: measured.q,
        }
      : null,
  };
}

const unique = (values: readonly string[]): string[] => [...new Set(values)].toSorted();
const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** The text of a patch file; its base is laid beside it when it is accepted. */
export const patchText = (issue: string, suggestion: string, base: string, change: NonNullable<IssueDraft["change"]>): string =>
  configText(`${base}: ${suggestion} (${issue})`, { extends: `./${fileStem(base)}.yaml`, ...change });

/** What a configuration's file may be called. */
export const fileStem = (name: string): string => name.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replace(/^[-.]+/, "") || "base";

/** A mechanism that passed runs of the same configurations show as often explains nothing. */
function isTelling(lines: readonly RunLine[], without: readonly RunLine[]): boolean {
  const configurations = new Set(lines.map(({ configuration }) => configuration));
  const others = without.filter(({ configuration, passed }) => configurations.has(configuration) && passed !== null);
  const rate = (runs: readonly RunLine[]): number =>
    runs.length === 0 ? 0 : runs.filter(({ passed }) => passed === false).length / runs.length;
  return rate(lines) > rate(others);
}

/** Tasks with passed runs that used a tool which the patch takes away. */
function atRisk(tools: readonly string[] | undefined, hash: string | undefined, runs: readonly RunFaults[]): string[] {
  if (!tools) return [];
  const using = runs.filter(({ line }) => line.hash === hash && line.passed === true && line.used.some((tool) => !tools.includes(tool)));
  return unique(using.map(({ line }) => line.task));
}

function titleOf({ shapes }: Cluster, measured: Contrast | undefined): string {
  if (measured) return measured.says.replace(/\.$/, "");
  const [first] = shapes;
  const text = first?.mechanism ?? "";
  const at = text.indexOf(": ");
  const head = at < 0 ? text : text.slice(0, at);
  const others = shapes
    .filter(({ mechanism }) => at >= 0 && mechanism.startsWith(`${head}: `))
    .map(({ mechanism }) => mechanism.slice(at + 2));
  const listed = others.length > 3 ? `${others.slice(0, 3).join(", ")}, …` : others.join(", ");
  const title = at < 0 ? text : `${head}: ${listed}`;
  return `${title.slice(0, 1).toUpperCase()}${title.slice(1)}`;
}

const mechanismOf = (cluster: Cluster): string =>
  formsOf(cluster)
    .map(({ form, runs }) => `${form} (${runs})`)
    .join("; ");

function formsOf({ members }: Cluster): IssueDraft["forms"] {
  const forms = new Map<string, { runs: number; failed: number }>();
  for (const { run, fault } of members) {
    const one = forms.get(fault.mechanism) ?? { runs: 0, failed: 0 };
    forms.set(fault.mechanism, { runs: one.runs + 1, failed: one.failed + (run.line.passed === false ? 1 : 0) });
  }
  return [...forms].map(([form, counts]) => ({ form, ...counts })).toSorted((a, b) => b.runs - a.runs || (a.form < b.form ? -1 : 1));
}

/** Failed runs whose likeliest cause it is, short ones first, of different tasks as far as there are. */
function evidenceOf({ members }: Cluster): IssueDraft["evidence"] {
  const cited = members.filter(({ fault }) => fault.quote !== "");
  const sorted = cited.toSorted(
    (a, b) =>
      Number(a.run.line.passed === true) - Number(b.run.line.passed === true) ||
      a.rank - b.rank ||
      a.run.line.turns - b.run.line.turns ||
      (a.run.line.run < b.run.line.run ? -1 : 1),
  );
  const tasks = new Set<string>();
  const [fresh, rest]: [typeof sorted, typeof sorted] = [[], []];
  for (const member of sorted) {
    (tasks.has(member.run.line.task) ? rest : fresh).push(member);
    tasks.add(member.run.line.task);
  }
  return [...fresh, ...rest].slice(0, 3).map(({ run: { line }, fault: { seq, step, quote, why } }) => ({
    run: line.run,
    seq,
    step,
    quote,
    why,
    passed: line.passed === true,
  }));
}
