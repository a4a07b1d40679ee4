import type { AnalyzedRun } from "../../runs/analyzed-run.ts";
import type { Act } from "./act.ts";
import { actsOf } from "./acts-of.ts";
import { isProduct } from "./paths.ts";

/** Acts that wrote a file of the work itself, neither test nor scratch. */
export const productEdits = (run: AnalyzedRun): readonly Act[] =>
  actsOf(run).filter(({ wrote, failed }) => failed !== true && wrote.some(isProduct));

/** Of the largest edit. An edit of nearly that size that came before is the same idea's first form. */
const nearly = 0.8;

/**
 * The edit that the hidden tests judge most: the largest of the work, the first of several of about that size. What comes after is mostly repair, and a fault of
 * the idea is older than its repairs.
 */
export function mainEdit(run: AnalyzedRun): Act | undefined {
  const code = productEdits(run).filter(({ wrote }) => !wrote.every(isAbout));
  const edits = code.length > 0 ? code : productEdits(run);
  const most = Math.max(0, ...edits.map(sizeOf));
  return edits.find((act) => sizeOf(act) >= nearly * most);
}

/** Characters of its longest argument. */
const sizeOf = ({ step }: Act): number =>
  Object.values(step.args).reduce<number>((most, value) => (typeof value === "string" ? Math.max(most, value.length) : most), 0);

/** Text about the work. */
const isAbout = (path: string): boolean => /\.(?:md|mdx|rst)$|(?:^|\/)(?:docs?|examples?|\.changeset)\//i.test(path);

/** Whether a run came to its end by itself. */
export const endedByItself = ({ end }: AnalyzedRun): boolean => end.type === "done" || end.type === "";
