import { fenced } from "../directions.ts";
import type { Draw } from "../draw.ts";
import type { Family, Level, TaskDraft } from "../family.ts";
import { commitIds, repositoryOf, type Commit } from "../git/history.ts";
import { repositoryReader } from "../git/repository.ts";
import { annotate, decoys, note, tell, type Change, type Files } from "../git/story.ts";
import { bash } from "../plan-parts.ts";
import { diary } from "../projects/diary.ts";
import { gauge } from "../projects/gauge.ts";
import { compareProject, rightFiles, rightFolder, type Project, type ProjectBug } from "../projects/project.ts";
import { till } from "../projects/till.ts";
import { swap } from "../swap.ts";
import { text, writeFile } from "../text.ts";
import { goods } from "../words.ts";

/** A regression somewhere in a history: to be found, and above the easy level to be mended with all that came with it and later kept. */
export const gitBisect: Family = {
  name: "git-bisect",
  summary:
    "find the commit that broke a program in its history, and mend it on top; merges, commits that do not start, a mistake that came twice",
  split: "validation",
  tags: ["git", "bugfix", "python"],
  draw,
};

const plantBug = ({ file, right, wrong }: ProjectBug, files: Files): Files => ({ ...files, [file]: swap(files[file] ?? "", right, wrong) });
const mendBug = ({ file, right, wrong }: ProjectBug, files: Files): Files => ({ ...files, [file]: swap(files[file] ?? "", wrong, right) });

/** A commit that breaks something on the side of what it is about. */
function regression(d: Draw, bug: ProjectBug): Change {
  const short = bug.file.split("/").at(-1) ?? "";
  const good = d.pick(goods);
  const message = d.pick([`Tidy ${short}`, `Mark the parts of ${short} for the ${good}`, `Go through ${short} once more`]);
  const wanted = (files: Files): Files =>
    note(`${short} was gone through for the ${good}`)(annotate(bug.file, `seen with the ${good}`)(files));
  return { message, apply: (files) => plantBug(bug, wanted(files)) };
}

interface History {
  readonly commits: readonly Commit[];
  /** Places of the commits that are asked for, one for each bug. */
  readonly culprits: readonly number[];
  /** A place that looks right and is not. */
  readonly tempting: number;
}

const drawHistory: Record<Level, (d: Draw, project: Project, bugs: readonly ProjectBug[]) => History> = {
  easy(d, project, [bug]) {
    const ahead = decoys(d, project, 8);
    const before = ahead.slice(0, d.int(2, 3));
    const after = ahead.slice(3).filter((change) => touches(change, project, bug) === false);
    const { commits, at } = tell(d, start(project), [...before, regression(d, must(bug)), ...after, { message: "Note the end of the week", apply: note("the week is over") }]); // prettier-ignore
    return { commits, culprits: [at[before.length] ?? 0], tempting: commits.length - 1 };
  },
  medium(d, project, [bug]) {
    const around = decoys(d, project, d.int(13, 18));
    const place = d.int(4, around.length - 4);
    const { commits, at } = tell(d, start(project), [...around.slice(0, place), regression(d, must(bug)), ...around.slice(place)]);
    return { commits, culprits: [at[place] ?? 0], tempting: (at[place] ?? 1) - 1 };
  },
  hard(d, project, [first, second]) {
    const [one, two] = [must(first), must(second)];
    const around = decoys(d, project, 36);
    const broken = `${project.name}/__main__.py`;
    const soon = `import ${d.pick(goods)}_later\n`;
    const unfinished: Change[] = [
      {
        message: "Begin with what comes next; does not start yet",
        apply: (files) => ({ ...files, [broken]: soon + (files[broken] ?? "") }),
      },
      { message: "Leave it for later", apply: (files) => ({ ...files, [broken]: swap(files[broken] ?? "", soon, "") }) },
    ];
    const early = regression(d, one);
    const back: Change = {
      message: `Put ${one.file.split("/").at(-1) ?? ""} right`,
      apply: (files) => note("it works again")(mendBug(one, files)),
    };
    const late = regression(d, one);
    const other = regression(d, two);
    const aside = around.slice(20, 23).map((change): Change => ({ ...change, aside: true }));
    const changes = [
      ...around.slice(0, 5),
      early,
      ...around.slice(5, 9),
      ...unfinished,
      ...around.slice(9, 12),
      back,
      ...around.slice(12, 20), // prettier-ignore
      ...aside.slice(0, 2),
      { ...other, aside: true },
      ...aside.slice(2),
      ...around.slice(23, 27),
      late,
      ...around.slice(27), // prettier-ignore
    ];
    const { commits, at } = tell(d, start(project), changes);
    const place = (change: Change): number => at[changes.indexOf(change)] ?? 0;
    const side = at[changes.findIndex((change) => change.aside && change.message === other.message)] ?? 0;
    return { commits, culprits: [place(late), side], tempting: place(early) };
  },
};

const start = ({ modules }: Project): Files => ({ ...modules, "NOTES.md": "# Notes\n\n- Begun.\n" });

const must = (bug: ProjectBug | undefined): ProjectBug => {
  if (!bug) throw new Error("The project has too few bugs.");
  return bug;
};

const touches = (change: Change, { modules }: Project, bug: ProjectBug | undefined): boolean =>
  bug !== undefined && change.apply(modules)[bug.file] !== modules[bug.file];

function draw(d: Draw, level: Level): TaskDraft {
  const project = d.pick([till, diary, gauge])(d);
  const bugs = d.some(distinct(d, project), level === "hard" ? 2 : 1);
  const { commits, culprits, tempting } = drawHistory[level](d, project, bugs);
  const ids = commitIds(commits);
  const tip = commits.length - 1;
  const named = culprits.map((place) => ids[place] ?? "");
  const right = bugs.reduce((files, bug) => mendBug(bug, files), commits[tip]?.files ?? {});
  const touched = [...new Set(bugs.map(({ file }) => file))].sort();
  const name = (hashes: readonly string[]): string => writeFile("culprit.txt", hashes.join("\n"));
  const mend = `${touched.map((path) => writeFile(path, right[path] ?? "")).join("")}git commit -q -m 'Mend what had been broken' -- ${touched.join(" ")}\n`;
  const asked = sentences(project, bugs, level);
  const easy = level === "easy";
  const solve = easy ? `git log -1 --format=%H -- ${touched.join(" ")} > culprit.txt\n` : `${name(named)}${mend}`;
  return {
    instruction: [asked.story, asked.name, ...(easy ? [] : [asked.mend, asked.keep])].join("\n\n"),
    ...(easy && {
      directions: `Run this command: git finds the last commit that changed the file, and its hash is written into \`culprit.txt\`.\n\n${fenced(solve)}`,
    }),
    ...repositoryOf(commits, { main: tip }),
    checks: { culprit: asked.name, ...(!easy && { mended: asked.mend, kept: asked.keep }) },
    ...(!easy && { tests: rightFiles(right) }),
    verify: easy ? culpritCheck(named) : verifier(project, bugs, ids[tip] ?? "", named),
    solve,
    wrong: {
      "names-another-commit": `${name([ids[tempting] ?? "", ...named.slice(1)])}${easy ? "" : mend}`,
      ...(easy
        ? { "names-the-first": "git log --format=%H | tail -n 1 > culprit.txt\n", "writes-the-subject": `git log -1 --format=%s -- ${touched.join(" ")} > culprit.txt\n` } // prettier-ignore
        : {
            "goes-back": `${name(named)}git reset -q --hard ${named.map((id) => `${id}^`).at(-1) ?? ""}\n`,
            "takes-back-all-of-it": `${name(named)}${mend}git checkout -q ${named[0] ?? ""}^ -- NOTES.md && git commit -q -m 'Take it back'\n`,
            "does-not-commit": `${name(named)}${touched.map((path) => writeFile(path, right[path] ?? "")).join("")}`,
          }),
    },
    plan: {
      steps: [
        { say: "I look at the history.", calls: [bash("git log --oneline --graph | head -n 60")], check: false },
        { say: easy ? "I write the hash down." : "I try the commits one after the other, note the hash, and mend the program.", calls: [bash(solve)], check: false }, // prettier-ignore
        { say: "I look at what I wrote.", calls: [bash("cat culprit.txt; git status --short")], check: true },
      ],
      answer: easy ? "The hash is in `culprit.txt`." : "The commit is named in `culprit.txt`, and the program is mended on `main`.",
      slip: [{ say: "I write the hash down.", calls: [bash(name([ids[tempting] ?? ""]))], check: false }],
      claims: ["culprit.txt"],
    },
  };
}

/** Bugs whose wrong line is not right elsewhere in the file, so that it can be mended again by itself; one a file. */
function distinct(d: Draw, { bugs, modules }: Project): ProjectBug[] {
  const files = new Set<string>();
  return d.shuffled(bugs).filter(({ file, right, wrong }) => {
    const planted = swap(modules[file] ?? "", right, wrong);
    return planted.split(wrong).length === 2 && !files.has(file) && files.add(file);
  });
}

interface Sentences {
  readonly story: string;
  readonly name: string;
  readonly mend: string;
  readonly keep: string;
}

function sentences({ name, about }: Project, bugs: readonly ProjectBug[], level: Level): Sentences {
  const [first, second] = bugs;
  const show = (bug: ProjectBug | undefined): string =>
    text`
    ${bug?.symptom ?? ""} It shows with this input for \`python3 -m ${name}\`:

    \`\`\`
    ${bug?.input.trimEnd() ?? ""}
    \`\`\`
  `.trimEnd();
  const here = `This folder is a git repository with the Python package \`${name}\`. ${about} The docstrings say what it promises.`;
  if (level === "easy")
    return {
      story: `${here}\n\n${first?.symptom ?? ""} The mistake is in \`${first?.file ?? ""}\`, and it came with the last commit that changed this file.`,
      name: "Write the full hash of that commit (40 characters) into `culprit.txt`.",
      mend: "",
      keep: "",
    };
  const two = second !== undefined;
  return {
    story: [
      `${here} In its first commit it kept these promises.`,
      ...(two
        ? ["Two things are wrong with it today.", `First: ${show(first)}`, `This mistake had been made before and was mended in between: the commit to be named is the later one, since which it has been there without a break.`, `Second: ${show(second)}`, "Some commits in between do not start at all, for another reason."] // prettier-ignore
        : [show(first)]),
    ].join("\n\n"),
    name: two
      ? "Write the full hashes (40 characters) of the two commits that brought this into `culprit.txt`, one a line, first the one for the first thing."
      : "Write the full hash (40 characters) of the commit that brought this into `culprit.txt`.",
    mend: `Mend ${two ? "both" : "it"} with a new commit on \`main\`, so that \`python3 -m ${name}\` keeps its promises again.`,
    keep: "All commits of `main` stay in its history, and everything else that they brought stays in its files.",
  };
}

const culpritCheck = (ids: readonly string[]): string => text`
  @check("culprit")
  def _():
      same(read("culprit.txt").split(), ${JSON.stringify(ids)}, "culprit.txt")
`;

function verifier(project: Project, bugs: readonly ProjectBug[], tip: string, culprits: readonly string[]): string {
  return text`
    ${rightFolder}


    ${compareProject(project)}


    ${repositoryReader}


    ${culpritCheck(culprits)}


    @check("mended")
    def _():
        compare_${project.name}(unfold(tree("refs/heads/main")), ${JSON.stringify(bugs.map(({ input }) => input))} + edges_${project.name}() + [drawn_${project.name}() for _ in range(4)])


    @check("kept")
    def _():
        expect(has("main", "${tip}"), "main has lost commits")
        files = tree("refs/heads/main")
        for path, content in json.loads(open(os.path.join(tests, "right.json"), encoding="utf-8").read()).items():
            expect(path in files, f"{path} is gone from main")
            if path not in ${JSON.stringify(bugs.map(({ file }) => file))}:
                same(files[path], content, path)
            else:
                comments = [line for line in content.splitlines() if line.startswith("#")]
                same([line for line in files[path].splitlines() if line in comments], comments, f"the comments of {path}")
  `;
}
