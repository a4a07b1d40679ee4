import type { RunOverview } from "../read/run-overview.ts";

/** A run and those that went on from it. */
export interface ForkNode {
  readonly run: RunOverview;
  /** By the turn they left at, then by time. */
  readonly forks: readonly ForkNode[];
}

/**
 * Runs by whom they went on from. A run whose parent is not among `runs` stands at the top, as does one whose chain of parents leads back to itself,
 * which only a made-up trace can say.
 */
export function forkTree(runs: readonly RunOverview[]): ForkNode[] {
  const byStart = new Map(runs.filter(({ start }) => start !== "").map((run) => [run.start, run]));
  const parentOf = (run: RunOverview): RunOverview | undefined => {
    const parent = run.parent && byStart.get(run.parent.start);
    return parent === run ? undefined : parent;
  };
  const circular = (run: RunOverview): boolean => {
    const seen = new Set([run]);
    for (let at = parentOf(run); at; at = parentOf(at)) {
      if (seen.has(at)) return true;
      seen.add(at);
    }
    return false;
  };
  const children = new Map<RunOverview, RunOverview[]>();
  const top: RunOverview[] = [];
  for (const run of runs) {
    const parent = circular(run) ? undefined : parentOf(run);
    if (parent) children.set(parent, [...(children.get(parent) ?? []), run]);
    else top.push(run);
  }
  const order = (a: RunOverview, b: RunOverview): number => (a.parent?.step ?? 0) - (b.parent?.step ?? 0) || a.startedAt - b.startedAt;
  const node = (run: RunOverview): ForkNode => ({ run, forks: (children.get(run) ?? []).toSorted(order).map(node) });
  return top.toSorted((a, b) => a.startedAt - b.startedAt).map(node);
}
