import type { Fault } from "../detectors/find-faults.ts";
import type { RunFaults } from "./faults-of-runs.ts";

/** What faults of one mechanism share, however many runs show it. */
export interface Shape {
  /** Kind, rule and mechanism: the same for equal ones. */
  readonly key: string;
  readonly kind: Fault["kind"];
  readonly detector: string;
  readonly mechanism: string;
}

export interface Cluster {
  /** The commonest first. */
  readonly shapes: readonly Shape[];
  /** Runs that show it at any rank, each with its first fault of this cluster. */
  readonly members: readonly { readonly run: RunFaults; readonly fault: Fault; readonly rank: number }[];
}

/** The same for faults of the same kind, rule and mechanism. */
export const shapeKey = ({ kind, detector, mechanism }: Pick<Fault, "kind" | "detector" | "mechanism">): string =>
  JSON.stringify([kind, detector, mechanism]);

const isMeasured = ({ detector }: Shape): boolean => detector.startsWith("contrast:");

/** Two clusters are one where their terms agree by at least this share (weighted Jaccard, average linkage). */
const leastAgreement = 0.6;
/** More shapes than these are clustered by kind and rule alone: the time grows with their square. */
const mostShapes = 400;

/** Groups faults by mechanism. The same faults in any order give the same clusters, the largest first. */
export function clusterFaults(runs: readonly RunFaults[]): Cluster[] {
  const shapes = new Map<string, Shape & { count: number }>();
  for (const { faults } of runs)
    for (const { kind, detector, mechanism } of faults) {
      const key = shapeKey({ kind, detector, mechanism });
      const one = shapes.get(key) ?? { key, kind, detector, mechanism, count: 0 };
      shapes.set(key, { ...one, count: one.count + 1 });
    }
  const sorted = [...shapes.values()].toSorted((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
  const groups = agglomerate(sorted);
  const measured = groups.filter((group) => group.some(isMeasured)).map((shapes) => ({ shapes, members: membersOf(shapes, runs) }));
  const rest = groups
    .filter((group) => !group.some(isMeasured))
    .map((shapes) => ({ shapes, members: membersOf(shapes, withoutMeasured(shapes, measured, runs)) }));
  return [...measured, ...rest]
    .filter(({ members }) => members.length > 0)
    .toSorted((a, b) => b.members.length - a.members.length || ((a.shapes[0]?.key ?? "") < (b.shapes[0]?.key ?? "") ? -1 : 1));
}

function membersOf(shapes: readonly Shape[], runs: readonly RunFaults[]): Cluster["members"] {
  const keys = new Set(shapes.map(({ key }) => key));
  return runs.flatMap((run) => {
    const rank = run.faults.findIndex((fault) => keys.has(shapeKey(fault)));
    const fault = run.faults[rank];
    return fault ? [{ run, fault, rank: rank + 1 }] : [];
  });
}

/** What rules say of runs that a measured feature of the same kind marks is that feature again. */
function withoutMeasured(shapes: readonly Shape[], measured: readonly Cluster[], runs: readonly RunFaults[]): readonly RunFaults[] {
  const same = measured.filter((cluster) => cluster.shapes[0]?.kind === shapes[0]?.kind);
  const marked = new Set(same.flatMap(({ members }) => members.map(({ run }) => run)));
  return runs.filter((run) => !marked.has(run));
}

function agglomerate(shapes: readonly (Shape & { readonly count: number })[]): Shape[][] {
  if (shapes.length > mostShapes) {
    const byRule = new Map<string, Shape[]>();
    for (const shape of shapes) {
      const rule = JSON.stringify([shape.kind, shape.detector]);
      byRule.set(rule, [...(byRule.get(rule) ?? []), shape]);
    }
    return [...byRule.values()];
  }
  const terms = new Map(shapes.map((shape) => [shape.key, termsOf(shape)]));
  const agree = (a: Shape, b: Shape): number => jaccard(terms.get(a.key) ?? new Map(), terms.get(b.key) ?? new Map());
  const measured = new Map<string, Shape[]>(); // the forms of one feature are one mechanism, however they are called
  for (const shape of shapes.filter(isMeasured)) measured.set(shape.detector, [...(measured.get(shape.detector) ?? []), shape]);
  let groups: Shape[][] = [...measured.values(), ...shapes.filter((shape) => !isMeasured(shape)).map((shape) => [shape])];
  for (;;) {
    let best: { readonly i: number; readonly j: number; readonly by: number } | undefined;
    for (const [i, a] of groups.entries())
      for (let j = i + 1; j < groups.length; j++) {
        const b = groups[j] ?? [];
        if (a[0]?.kind !== b[0]?.kind || a.some(isMeasured) || b.some(isMeasured)) continue;
        const sum = a.reduce((total, x) => total + b.reduce((part, y) => part + agree(x, y), 0), 0);
        const by = sum / (a.length * b.length);
        if (by >= leastAgreement && by > (best?.by ?? 0)) best = { i, j, by };
      }
    if (!best) return groups;
    const { i, j } = best;
    groups = groups.map((group, at) => (at === i ? [...group, ...(groups[j] ?? [])] : group)).filter((_, at) => at !== j);
  }
}

function termsOf({ kind, detector, mechanism }: Shape): Map<string, number> {
  const words = mechanism
    .toLowerCase()
    .split(/[^\p{L}\p{N}_.-]+/u)
    .filter((word) => word !== "");
  return new Map([[`kind ${kind}`, 2], [`rule ${detector}`, 3], ...words.map((word): [string, number] => [word, 1])]);
}

function jaccard(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let [both, either] = [0, 0];
  for (const [term, weight] of a) {
    either += weight;
    if (b.has(term)) both += weight;
  }
  for (const [term, weight] of b) if (!a.has(term)) either += weight;
  return either === 0 ? 0 : both / either;
}
