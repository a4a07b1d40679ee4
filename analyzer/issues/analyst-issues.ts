import type { Cluster, Shape } from "../clusters/cluster-faults.ts";
import { shapeKey } from "../clusters/cluster-faults.ts";
import type { RunFaults } from "../clusters/faults-of-runs.ts";
import type { Fault } from "../detectors/find-faults.ts";
import { commonest } from "../proposals/propose.ts";
import { draftOf, leastLost, type Drafting } from "./draft-issues.ts";
import type { IssueDraft } from "./issue-draft.ts";

/** A failed run with what the analyst said of it. */
export interface ReadRun {
  readonly run: RunFaults;
  readonly claims: readonly Fault[];
}

/** What the analyst names and rules and contrast do not: a claim of the kind that explains the run already is evidence for their issue. */
export const namedAlone = (read: readonly ReadRun[]): ReadRun[] =>
  read.filter(({ run, claims }) => claims[0] && claims[0].kind !== run.faults[0]?.kind);

/**
 * Issues of what the analyst alone names. They are drafted apart, so no reply of a model changes an issue that was found without one; a run that such an issue
 * counts as won is not counted as won again.
 */
export function draftAnalystIssues(
  read: readonly ReadRun[],
  certain: readonly IssueDraft[],
  o: Drafting & { readonly model: string },
): IssueDraft[] {
  const winning = new Set(certain.filter(({ gain }) => gain > 0).flatMap(({ keys }) => keys));
  const isCounted = ({ faults: [first] }: RunFaults): boolean => first !== undefined && winning.has(shapeKey(first));
  const failed = o.runs.filter(({ line }) => line.passed === false).length;
  return clustersOf(namedAlone(read))
    .filter(({ members }) => members.length >= leastLost(failed))
    .map((cluster) => {
      const lost = cluster.members.map(({ run }) => run.line);
      const lever = commonest(cluster.members.flatMap(({ fault }) => fault.lever ?? []));
      const counted = cluster.members.filter(({ run }) => isCounted(run)).length;
      const uncounted = cluster.members.filter(({ run }) => !isCounted(run)).map(({ run }) => run.line);
      const draft = draftOf(cluster, lost, { ...o, failed, winnable: uncounted, ...(lever === undefined ? {} : { lever }) });
      const says = [
        `Named by ${o.model}, which read failed runs only: whether passed runs have it too is not known.`,
        ...(counted > 0
          ? [`Of its runs ${counted} ${counted === 1 ? "is" : "are"} counted as won by another issue, and not again here.`]
          : []),
        draft.because,
      ];
      return { ...draft, because: says.filter((text) => text !== "").join(" ") };
    })
    .toSorted((a, b) => b.lost - a.lost || b.gain - a.gain || (a.id < b.id ? -1 : 1));
}

function clustersOf(read: readonly ReadRun[]): Cluster[] {
  const groups = new Map<string, { readonly run: RunFaults; readonly fault: Fault; readonly rank: number }[]>();
  for (const { run, claims } of read) {
    const [fault] = claims;
    if (fault) groups.set(fault.mechanism, [...(groups.get(fault.mechanism) ?? []), { run, fault, rank: 1 }]);
  }
  return [...groups].map(([mechanism, members]) => {
    const kind = commonest(members.map(({ fault }) => fault.kind)) ?? "unclear";
    const shape: Shape = { key: shapeKey({ kind, detector: "analyst", mechanism }), kind, detector: "analyst", mechanism };
    return { shapes: [shape], members };
  });
}
