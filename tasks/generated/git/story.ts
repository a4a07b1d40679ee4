import type { Draw } from "../draw.ts";
import type { Project } from "../projects/project.ts";
import { goods, people, teams } from "../words.ts";
import type { Commit } from "./history.ts";

export type Files = Readonly<Record<string, string>>;

/** What one commit does. */
export interface Change {
  readonly message: string;
  apply(files: Files): Files;
  /** On a branch beside the main one, which is merged before the next change that is not. */
  readonly aside?: boolean;
}

/** Adds a line to the notes that every history of a project keeps. */
export const note =
  (line: string): Change["apply"] =>
  (files) => ({ ...files, "NOTES.md": `${files["NOTES.md"] ?? "# Notes\n\n"}- ${line}\n` });

/** Puts a comment above every function and class of a module, so that a small change hides in a large one. */
export const annotate =
  (path: string, word: string): Change["apply"] =>
  (files) => ({ ...files, [path]: (files[path] ?? "").replaceAll(/^(?=(?:def|class) )/gm, `# ${word}\n`) });

/** Harmless changes of a project, all different. */
export function decoys(d: Draw, { name, modules }: Project, count: number): Change[] {
  const inside = Object.keys(modules).filter((path) => !path.endsWith("__init__.py"));
  const words = d.shuffled(goods.flatMap((good) => teams.map((team) => [good, team] as const)));
  return words.slice(0, count).map(([good, team]): Change => {
    const path = d.pick(inside);
    return d.pick<Change>([
      { message: `Note what ${team} said about the ${good}`, apply: note(`${team}: the ${good} can wait`) },
      {
        message: `Describe the ${good} for ${team}`,
        apply: (files) => ({ ...files, [`docs/${good}-${team}.md`]: `# ${good}\n\nAsk ${team} about it.\n` }),
      },
      { message: `Say who looks after ${path.slice(name.length + 1)}`, apply: (files) => ({ ...files, [path]: `# ${team} looks after this, with the ${good}.\n${files[path] ?? ""}` }) }, // prettier-ignore
      { message: `Mark the parts of ${path.slice(name.length + 1)} for ${team}`, apply: annotate(path, `${team}, ${good}`) },
      {
        message: `A tool for the ${good}`,
        apply: (files) => ({ ...files, [`tools/${good}-${team}.sh`]: `#!/bin/sh\necho "${good} of ${team}"\n` }),
      },
    ]);
  });
}

/** The commits of changes one after the other on a main branch, whose tip is the last; `at[i]` is the place of the commit of `changes[i]`. */
export function tell(d: Draw, start: Files, changes: readonly Change[]): { commits: Commit[]; at: number[] } {
  const team = d.some(people, 4);
  const commits: Commit[] = [{ parents: [], files: start, message: "Begin", who: team[0] ?? "ada" }];
  const files = (place: number): Files => commits[place]?.files ?? {};
  const add = (parents: readonly number[], content: Files, message: string): number =>
    commits.push({ parents, files: content, message, who: d.pick(team) }) - 1;
  let main = 0;
  let side: { tip: number; changes: Change[] } | undefined;
  const merge = (): void => {
    if (!side) return;
    const together = side.changes.reduce((content, change) => change.apply(content), files(main));
    main = add([main, side.tip], together, `Merge what was done beside ${d.pick(teams)}`);
    side = undefined;
  };
  const at = changes.map((change) => {
    if (change.aside) {
      side ??= { tip: main, changes: [] };
      side = { tip: add([side.tip], change.apply(files(side.tip)), change.message), changes: [...side.changes, change] };
      return side.tip;
    }
    main = add([main], change.apply(files(main)), change.message);
    const place = main;
    merge();
    return place;
  });
  merge();
  return { commits, at };
}
