import type { RunLine } from "../analysis/run-line.ts";
import type { IssueDraft } from "./issue-draft.ts";
import { isBroken, type BrokenIssue, type IssueEvent, type StoredIssue } from "./stored-issue.ts";

interface Merging {
  readonly analysis: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** What the analysis looked at. */
  readonly runs: readonly RunLine[];
  /** Files that cannot be read: what is found again of one keeps its id and number, for the one who looks at this analysis alone. */
  readonly broken?: readonly BrokenIssue[];
}

/** Shapes that two issues must share to be one, of those of the smaller. */
const leastShared = 0.5;

/**
 * Lays what an analysis found over what a store holds. An issue that is found again keeps its id, its history, and what a person decided or wrote; one whose
 * tasks were looked at and which none of the runs shows is gone. The same analysis twice changes nothing.
 */
export function mergeIssues(stored: readonly StoredIssue[], drafts: readonly IssueDraft[], o: Merging): StoredIssue[] {
  const broken = o.broken ?? [];
  const matches = matchesOf(stored, drafts, broken);
  const found = new Set([...matches.values()].map(({ id }) => id));
  const all = [...stored, ...broken];
  const taken = new Set(all.map(({ id }) => id));
  let last = Math.max(all.length, ...all.map(({ number }) => number ?? 0)); // numbers have no gaps: that of a file in pieces is among these
  const fresh = drafts.map((draft, i): StoredIssue => {
    const before = matches.get(i);
    if (before && !isBroken(before)) return foundAgain(before, unlessRejected(draft, stored, before.id), o);
    const id = before?.id ?? freeId(draft.id, taken);
    taken.add(id);
    const proposed = unlessRejected(draft, stored);
    return {
      ...proposed,
      v: 1,
      id,
      number: before?.number ?? ++last,
      history: [seen("found", draft, o)],
      written: { title: proposed.title, suggestion: proposed.suggestion },
    };
  });
  const rest = stored.filter(({ id }) => !found.has(id)).map((issue) => (isGone(issue, o) ? gone(issue, o) : issue));
  return [...fresh, ...rest];
}

type Known = StoredIssue | BrokenIssue;

/** Each draft with the stored issue that shares most of its shapes; each stored issue once, the greatest agreement first. */
function matchesOf(stored: readonly StoredIssue[], drafts: readonly IssueDraft[], broken: readonly BrokenIssue[]): Map<number, Known> {
  const pairs = drafts.flatMap((draft, i) =>
    [...stored, ...broken].flatMap((issue) => {
      if (issue.keys.length === 0) return issue.id === draft.id ? [{ i, issue, both: 1, share: 1 }] : [];
      const both = draft.keys.filter((key) => issue.keys.includes(key)).length;
      const share = both / Math.min(draft.keys.length, issue.keys.length);
      return both > 0 && share >= leastShared ? [{ i, issue, both, share }] : [];
    }),
  );
  const matches = new Map<number, Known>();
  const used = new Set<string>();
  for (const { i, issue } of pairs.toSorted(
    (a, b) => b.share - a.share || b.both - a.both || (a.issue.id < b.issue.id ? -1 : 1) || a.i - b.i,
  )) {
    if (matches.has(i) || used.has(issue.id)) continue;
    matches.set(i, issue);
    used.add(issue.id);
  }
  return matches;
}

function foundAgain(before: StoredIssue, draft: IssueDraft, o: Merging): StoredIssue {
  const last = before.history.findLast(({ analysis }) => analysis !== undefined);
  if (last?.analysis === o.analysis) return before;
  const reopens = before.status === "gone" || (before.status === "completed" && !withoutChange(before, draft));
  const what = reopens ? "back" : draft.failed > before.failed ? "grown" : draft.failed < before.failed ? "shrunk" : "same";
  const edited = before.history.some((event) => event.what === "edited");
  const { title, suggestion } = draft;
  const own = (field: "title" | "suggestion"): boolean =>
    edited || (before.written !== undefined && before[field] !== before.written[field]);
  return {
    ...draft,
    title: own("title") ? before.title : title,
    suggestion: own("suggestion") ? before.suggestion : suggestion,
    ...(edited ? { patch: before.patch, change: before.change, base: before.base, radius: null } : {}),
    v: 1,
    written: { title, suggestion },
    id: before.id,
    number: before.number,
    keys: [...new Set([...before.keys, ...draft.keys])].toSorted(),
    status: reopens ? statusBefore(before) : before.status,
    history: [...before.history, seen(what, draft, o)],
  };
}

/** Whether what is found again comes from runs of the configuration that the change was made for: they lack it, so they say nothing against it. */
const withoutChange = (before: StoredIssue, draft: IssueDraft): boolean => draft.base !== null && draft.base.hash === before.base?.hash;

/** A change that a person rejected is not proposed again under another name. */
function unlessRejected(draft: IssueDraft, stored: readonly StoredIssue[], own?: string): IssueDraft {
  const text = JSON.stringify(draft.change);
  const same = stored.find(
    (one) => one.id !== own && draft.change && one.status === "rejected" && one.kind === draft.kind && JSON.stringify(one.change) === text,
  );
  if (!same) return draft;
  const reason = same.history.findLast(({ what }) => what === "rejected")?.reason ?? "";
  return { ...draft, patch: null, change: null, radius: null, suggestion: `${draft.suggestion} (rejected in ${same.id}: ${reason})` };
}

/** What a person had decided; an accepted or completed issue that comes back is open again, a rejected one stays rejected. */
const statusBefore = ({ history }: StoredIssue): StoredIssue["status"] =>
  history.findLast(({ what }) => what === "accepted" || what === "rejected")?.what === "rejected" ? "rejected" : "open";

/** At least half of its tasks were looked at with one of its configurations and models, and no run shows it. What only an analyst named is never gone by its silence. */
function isGone(issue: StoredIssue, { runs, analysis }: Merging): boolean {
  if (issue.keys.some((key) => key.includes('"analyst"'))) return false;
  if (issue.status === "gone" || issue.status === "completed" || issue.history.at(-1)?.analysis === analysis) return false;
  const looked = new Set(
    runs
      .filter(({ model, configuration }) => issue.models.includes(model) && issue.configurations.includes(configuration))
      .map(({ task }) => task),
  );
  return issue.tasks.length > 0 && issue.tasks.filter((task) => looked.has(task)).length * 2 >= issue.tasks.length;
}

const gone = (issue: StoredIssue, o: Merging): StoredIssue => ({
  ...issue,
  status: "gone",
  history: [...issue.history, { what: "gone", at: o.at, analysis: o.analysis }],
});

const seen = (what: IssueEvent["what"], { failed, runs }: IssueDraft, { at, analysis }: Merging): IssueEvent => ({
  what,
  at,
  analysis,
  failed,
  runs: runs.length,
});

/** An id that another issue has gets another digit. */
function freeId(id: string, taken: ReadonlySet<string>): string {
  for (let n = 0; ; n++) {
    const other = n === 0 ? id : (Number.parseInt(id, 16) + n).toString(16).padStart(8, "0").slice(-8);
    if (!taken.has(other)) return other;
  }
}
