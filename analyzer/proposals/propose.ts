import type { ConfigFile } from "../../harness/config/schema.ts";
import type { RunLine } from "../analysis/run-line.ts";
import type { Kind, Lever } from "../contract.ts";
import type { BaseConfig } from "./base-config.ts";
import { leverTable, recommendations, type Circumstances } from "./lever-table.ts";

/** What could be changed against a mechanism. */
export interface Proposal {
  readonly lever: Lever | null;
  /** "offer bash alone"; of a recommendation its text. */
  readonly title: string;
  /** The changed keys of a patch; null: a recommendation, in words. */
  readonly change: ConfigFile | null;
  /** The configuration in which most of the runs were lost; null where it is not known, as of another agent. */
  readonly base: BaseConfig | null;
  readonly evidence: string;
  readonly alternatives: readonly string[];
}

/**
 * The first row of the table that applies to the configuration in which most of the runs were lost; without one, words. Rows of the `lever` that the analyst
 * names come first, whatever kind they are for: it chooses among patches that Forge has, and writes none.
 */
export function propose(
  kind: Kind,
  detectors: readonly string[],
  lost: readonly RunLine[],
  bases: ReadonlyMap<string, BaseConfig>,
  lever?: Lever,
): Proposal {
  const hash = commonest(lost.map((run) => run.hash));
  const [model] = lost;
  const own = lost.find((run) => run.hash === hash) ?? model;
  const base = bases.get(hash ?? "");
  const imported = own?.imported != null || !base;
  const o: Circumstances = {
    kind,
    detectors,
    protocol: own?.protocol ?? "",
    tools: own?.tools ?? [],
    middleware: own?.middleware ?? [],
    turns: base?.file.limits?.turns ?? (imported ? undefined : 50),
    maxOutputTokens: typeof base?.file.model === "object" ? (base.file.model.maxOutputTokens ?? 4096) : imported ? undefined : 4096,
    imported,
  };
  const named = leverTable.filter((row) => row.lever === lever);
  const rows = [...named, ...leverTable.filter((row) => row.kinds.includes(kind) && !named.includes(row))];
  const fitting = imported ? [] : rows.flatMap((row) => (row.change(o) ? [row] : []));
  const [best, ...others] = fitting;
  const change = best?.change(o);
  if (best && change && base)
    return { lever: best.lever, title: best.title, change, base, evidence: best.evidence, alternatives: others.map(({ title }) => title) };
  const words = recommendations[kind];
  const row = imported ? rows[0] : undefined;
  return {
    lever: row?.lever ?? words?.lever ?? null,
    title: inItsFile(
      row?.elsewhere ??
        (imported ? words?.elsewhere : undefined) ??
        words?.text ??
        "No change of the harness is known that helps against this.",
      own?.imported ?? "",
    ),
    change: null,
    base: imported ? null : (base ?? null),
    evidence: row?.evidence ?? "",
    alternatives: [],
  };
}

/** Agents that do not read AGENTS.md, as `imported` names them, and what they read in its place. Source: measured, docs/agents.md. */
const instructions: Readonly<Record<string, string>> = {
  "claude-code": "CLAUDE.md",
  "mini-swe-agent": "its templates (args: [-c, FILE]), as it reads no file of the project",
};

const inItsFile = (words: string, agent: string): string => words.replace("AGENTS.md", instructions[agent] ?? "AGENTS.md");

/** Of several that are as common, the first by name. */
export function commonest<T extends string>(values: readonly T[]): T | undefined {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]?.[0];
}
