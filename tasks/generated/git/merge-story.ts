import type { Draw } from "../draw.ts";
import type { Level } from "../family.ts";
import type { Fork, Project, ProjectBug } from "../projects/project.ts";
import { swap } from "../swap.ts";
import type { Commit } from "./history.ts";
import { decoys, note, type Change, type Files } from "./story.ts";

/** What was done on one branch. */
export interface Side {
  readonly branch: string;
  readonly changes: readonly Change[];
  /** What it wants, each a sentence; they also stand in the notes. */
  readonly says: readonly string[];
}

/** Branches that went apart, and the files that keep the wishes of all. */
export interface Parting {
  readonly commits: readonly Commit[];
  /** Branch → place of its tip; `main` first. */
  readonly tips: Readonly<Record<string, number>>;
  readonly sides: readonly Side[];
  readonly together: Files;
  /** The shared function got its new name on main. */
  readonly renamed: boolean;
}

const branchNames = ["customer-wishes", "spring", "second-try", "from-the-desk", "wishes", "next"] as const;
const repairNames = ["repair", "mend-it", "hotfix", "put-right"] as const;

/**
 * Easy: the sides change different modules. Medium: the same lines of two modules, and the same place of the notes. Hard: of three; main has
 * renamed a function that the other side calls in a new module, and a third branch mends a mistake of all.
 */
export function drawParting(d: Draw, project: Project, level: Level): Parting {
  const { forks, shared, addition } = project;
  const whole = new RegExp(`\\b${shared.name}\\b`, "g");
  const hard = level === "hard";
  const chosen = d.some(forks, { easy: 2, medium: 2, hard: 3 }[level]);
  const bug = hard ? d.pick(project.bugs.filter((one) => standsApart(one, project))) : undefined;
  const [mine, other] = chosen;
  const onMain = level === "easy" ? [mine] : chosen;
  const onOther = level === "easy" ? [other] : chosen;
  const change = (fork: Fork | undefined, side: "ours" | "theirs"): Change[] =>
    fork ? [{ message: fork.says[side].replace(/[.:].*$/, ""), apply: (files) => edit(files, fork.file, fork.base, fork[side]) }] : [];
  const add: Change = {
    message: `Add ${addition.path.split("/").at(-1) ?? ""}`,
    apply: (files) => ({ ...addition.main.reduce((all, [from, to]) => edit(all, `${project.name}/__main__.py`, from, to), files), [addition.path]: addition.content }), // prettier-ignore
  };
  const rename: Change = {
    message: `Call it ${shared.better}`,
    apply: (files) => Object.fromEntries(Object.entries(files).map(([path, content]) => [path, path.endsWith(".py") ? content.replace(whole, shared.better) : content])), // prettier-ignore
  };
  const sides: Side[] = [
    {
      branch: "main",
      changes: [...onMain.flatMap((fork) => change(fork, "ours")), ...(hard ? [rename] : [])],
      says: onMain.flatMap((fork) => fork?.says.ours ?? []),
    },
    {
      branch: d.pick(branchNames),
      changes: [...onOther.flatMap((fork) => change(fork, "theirs")), ...(hard ? [add] : [])],
      says: [...onOther.flatMap((fork) => fork?.says.theirs ?? []), ...(hard ? [addition.says] : [])],
    },
    ...(bug
      ? [{ branch: d.pick(repairNames), changes: [{ message: "Mend what a customer found", apply: (files: Files) => edit(files, bug.file, bug.wrong, bug.right) }], says: [] }] // prettier-ignore
      : []),
  ];
  const withNotes = sides.map((side) => (level === "easy" && side.branch === "main" ? side : { ...side, changes: noted(side, bug) }));
  const together = merged(project, chosen, { level, withNotes, hard });
  return { ...commitAll(d, project, withNotes, bug), sides: withNotes, together, renamed: hard };
}

/** The last change of a branch also says in the notes what it brought. */
function noted({ changes, says, branch }: Side, bug: ProjectBug | undefined): Change[] {
  const lines = says.length > 0 ? says : [`Mended on ${branch}: ${bug?.symptom ?? ""}`];
  return [...changes, { message: "Note it", apply: (files) => lines.reduce((all, line) => note(line)(all), files) }];
}

function merged(project: Project, chosen: readonly Fork[], o: { level: Level; withNotes: readonly Side[]; hard: boolean }): Files {
  const [mine, other] = chosen;
  let files: Files = { ...project.modules, "NOTES.md": "# Notes\n\n- The docstrings count.\n" };
  for (const fork of chosen)
    files = edit(
      files,
      fork.file,
      fork.base,
      o.level !== "easy" ? fork.both : fork === mine ? fork.ours : fork === other ? fork.theirs : fork.base,
    );
  for (const { changes, branch } of o.withNotes) {
    const others = changes.filter(({ message }) => message === "Note it" || message.startsWith("Add "));
    if (branch !== "main" || o.level !== "easy") files = others.reduce((all, { apply }) => apply(all), files);
  }
  const rename = o.withNotes[0]?.changes.find(({ message }) => message.startsWith("Call it "));
  return rename ? rename.apply(files) : files;
}

function commitAll(d: Draw, project: Project, sides: readonly Side[], bug: ProjectBug | undefined): Pick<Parting, "commits" | "tips"> {
  const start = bug ? edit(project.modules, bug.file, bug.right, bug.wrong) : project.modules;
  const commits: Commit[] = [
    { parents: [], files: { ...start, "NOTES.md": "# Notes\n\n- The docstrings count.\n" }, message: "Begin", who: "ada" },
  ];
  const add = (parent: number, change: Change, who: string): number =>
    commits.push({ parents: [parent], files: change.apply(commits[parent]?.files ?? {}), message: change.message, who }) - 1;
  const common = decoys(d, project, 8).filter(({ message }) => message.startsWith("Describe") || message.startsWith("A tool"));
  const fork = common.reduce((at, change) => add(at, change, "ada"), 0);
  const who = ["ada", "boris", "chen"];
  const tips = Object.fromEntries(sides.map(({ branch, changes }, i) => [branch, changes.reduce((at, change) => add(at, change, who[i] ?? "ada"), fork)])); // prettier-ignore
  return { commits, tips };
}

/** Nothing of the mistake lies in what the forks change. */
const standsApart = (bug: ProjectBug, { forks, modules }: Project): boolean =>
  !forks.some(({ file, base }) => file === bug.file && (bug.right.includes(base) || base.includes(bug.right))) &&
  swap(modules[bug.file] ?? "", bug.right, bug.wrong).split(bug.wrong).length === 2 &&
  forks.every(({ file, both, base }) => {
    const line = (modules[file] ?? "").split("\n").find((one) => one.includes(base.split("\n")[0] ?? "")) ?? "";
    return !line.includes(bug.right) && !both.includes(bug.wrong);
  });

const edit = (files: Files, path: string, from: string, to: string): Files => ({ ...files, [path]: swap(files[path] ?? "", from, to) });
