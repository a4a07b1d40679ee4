import type { ConfigFile } from "../../harness/config/schema.ts";
import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import { isAccepted, type StoredIssue } from "../issues/stored-issue.ts";
import { partOf } from "./split.ts";

export interface PatchRules {
  /** Harness hash of the configuration that is to be improved. */
  readonly hash: string;
  /** Families that may be read. */
  readonly develop: readonly string[];
  /** Proposals that nobody has decided on are taken too. */
  readonly auto: boolean;
  readonly most: number | undefined;
}

export interface ChosenPatches {
  /** By id. Those that are not accepted yet are to be. */
  readonly chosen: readonly StoredIssue[];
  /** Accepted ones that cannot be taken, each with a clause that says why. */
  readonly refused: readonly { readonly issue: StoredIssue; readonly why: string }[];
  /** What waits for a decision. */
  readonly proposals: readonly StoredIssue[];
}

/** Accepted patches of this configuration that rest on develop families alone, then proposals by their worth, up to the number asked for. */
export function choosePatches(issues: readonly StoredIssue[], { hash, develop, auto, most = Infinity }: PatchRules): ChosenPatches {
  const own = issues.filter(({ base, change }) => change !== null && base?.hash === hash);
  const strange = (issue: StoredIssue): readonly string[] =>
    issue.families.filter((family) => partOf(family) === "test" || !develop.includes(family));
  const accepted = own.filter(isAccepted);
  const proposals = own.filter((issue) => issue.status === "open" && issue.priority !== "drop" && strange(issue).length === 0);
  const fit = accepted.filter((issue) => strange(issue).length === 0);
  const changeOf = (issue: StoredIssue): string => canonicalJson(issue.change);
  const wanted = [...fit, ...(auto ? proposals : [])];
  const isFirst = (issue: StoredIssue, i: number): boolean => wanted.findIndex((other) => changeOf(other) === changeOf(issue)) === i;
  const chosen = wanted.filter(isFirst).slice(0, most);
  return {
    chosen: chosen.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    refused: accepted.flatMap((issue) => {
      const families = strange(issue);
      if (families.length > 0)
        return [{ issue, why: `it was found in runs of ${families.join(", ")}, which this improvement may not read` }];
      const same = chosen.find((other) => other !== issue && changeOf(other) === changeOf(issue));
      return same ? [{ issue, why: `its change is that of ${same.id}` }] : [];
    }),
    proposals,
  };
}

/** Whether a change only takes middleware away. */
export function isRemoval({ extends: _, ...change }: ConfigFile): boolean {
  const { middleware = [], ...others } = change;
  return (
    middleware.length > 0 &&
    Object.keys(others).length === 0 &&
    middleware.every((entry) => typeof entry === "object" && "off" in entry && entry.off === true)
  );
}
