import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writtenLineSchema } from "../analysis/run-line.ts";
import type { StoredIssue } from "../issues/stored-issue.ts";

/** What a patch must not carry from the tasks that it was found in: it would help on these and nowhere else. */
export interface LeakCheck {
  readonly leaks: readonly { readonly what: "task name" | "file name" | "literal of a test or solution"; readonly word: string }[];
  /** How many of each were looked for; of literals undefined where tests and solutions are not at hand. */
  readonly tasks: number;
  readonly files: number;
  readonly literals: number | undefined;
}

/** Shorter ones are words of any language. */
const [leastName, leastLiteral] = [4, 6];

/**
 * Looks in a patch for names of tasks, families and changed files of the analysis that found the issue, and for what stands in quotation marks in the tests
 * and solutions of its tasks.
 * @param o.analyses where analyses are stored; `taskFolders`: of the issue's tasks, as far as they are here
 */
export async function checkLeaks(
  patch: string,
  issue: StoredIssue,
  o: { readonly analyses: string; readonly taskFolders: readonly string[] },
): Promise<LeakCheck> {
  const { tasks, files } = await namesOf(issue, o.analyses);
  const literals = await literalsIn(o.taskFolders);
  // its comments are ours, and what it extends is the configuration's own name
  const text = patch.replaceAll(/^(?:#|extends:).*$/gm, "");
  const has = (word: string): boolean => new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(word)}(?![\\p{L}\\p{N}_])`, "u").test(text);
  const found = (words: ReadonlySet<string>, least: number): string[] =>
    [...words].filter((word) => word.length >= least && has(word)).toSorted();
  return {
    leaks: [
      ...found(tasks, leastName).map((word) => ({ what: "task name" as const, word })),
      ...found(files, leastName).map((word) => ({ what: "file name" as const, word })),
      ...found(literals, leastLiteral).map((word) => ({ what: "literal of a test or solution" as const, word })),
    ],
    tasks: tasks.size,
    files: files.size,
    literals: o.taskFolders.length === 0 ? undefined : literals.size,
  };
}

const escaped = (word: string): string => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

async function namesOf({ tasks, families, history }: StoredIssue, analyses: string): Promise<{ tasks: Set<string>; files: Set<string> }> {
  const names = { tasks: new Set([...tasks, ...families]), files: new Set<string>() };
  const analysis = history.findLast((event) => event.analysis !== undefined)?.analysis ?? "none";
  // one that was removed leaves the names that the issue itself has
  const text = await readFile(join(analyses, analysis, "analysis.jsonl"), "utf8").catch(() => "");
  for (const line of text.split("\n")) {
    if (!line.startsWith('{"t":"run"')) continue;
    const run = writtenLineSchema.safeParse(JSON.parse(line)).data;
    for (const name of run ? [run.task, run.family] : []) names.tasks.add(name);
    for (const file of run?.files ?? []) names.files.add(file);
  }
  return names;
}

const mostBytes = 256 * 1024;

async function literalsIn(folders: readonly string[]): Promise<Set<string>> {
  const literals = new Set<string>();
  for (const folder of folders)
    for (const part of ["tests", "solution"]) {
      const entries = await readdir(join(folder, part), { withFileTypes: true, recursive: true }).catch(() => []);
      for (const entry of entries) {
        if (!entry.isFile()) continue;
        const bytes = await readFile(join(entry.parentPath, entry.name));
        if (bytes.length > mostBytes) continue;
        for (const [, word = ""] of bytes.toString("utf8").matchAll(/["'`]([^"'`\n]{6,200})["'`]/g)) literals.add(word);
      }
    }
  return literals;
}
