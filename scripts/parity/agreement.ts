/** What one runner made of one end state of one task. */
export type CellResult =
  /** `rewards` as the runner keeps them; null where it has none, which counts as 0. `note` says why, in the runner's words. */
  | { readonly type: "judged"; readonly rewards: Readonly<Record<string, number>> | null; readonly note?: string }
  /** The runner did not carry the task out (refused, image does not build, machinery broke): no reward to compare. */
  | { readonly type: "not-run"; readonly why: string };

/** The runner of a task's format, as it is called in what people read. */
export type RunnerName = "Harbor" | "terminal-bench";

export interface Cell {
  readonly task: string;
  readonly state: string;
  readonly forge: CellResult;
  readonly runner: RunnerName;
  /** What the format's own runner made of it. Left out where that is not installed. */
  readonly other?: CellResult;
}

export type Verdict = "agree" | "differ" | "not-compared";

/** Rewards are compared by name and value; none at all is the same as a 0, which is what the runners score it. */
export function verdictOf({ forge, other }: Cell): Verdict {
  if (other === undefined || forge.type === "not-run" || other.type === "not-run") return "not-compared";
  return same(forge.rewards, other.rewards) ? "agree" : "differ";
}

function same(a: Readonly<Record<string, number>> | null, b: Readonly<Record<string, number>> | null): boolean {
  if (a === null || b === null) return Object.values(a ?? b ?? {}).every((value) => value === 0);
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => {
    const [one, other] = [a[name], b[name]];
    return one !== undefined && other !== undefined && Math.abs(one - other) <= 1e-9;
  });
}

export interface Agreement {
  readonly agree: number;
  readonly compared: number;
  readonly notCompared: number;
  /** agree ÷ compared; null where nothing was compared. */
  readonly share: number | null;
}

export function agreementOf(cells: readonly Cell[]): Agreement {
  const verdicts = cells.map(verdictOf);
  const agree = verdicts.filter((verdict) => verdict === "agree").length;
  const compared = agree + verdicts.filter((verdict) => verdict === "differ").length;
  return { agree, compared, notCompared: cells.length - compared, share: compared === 0 ? null : agree / compared };
}
