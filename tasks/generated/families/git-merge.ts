import { fenced } from "../directions.ts";
import type { Draw } from "../draw.ts";
import type { Family, Level, TaskDraft } from "../family.ts";
import { commitIds, repositoryOf } from "../git/history.ts";
import { drawParting, type Parting } from "../git/merge-story.ts";
import { repositoryReader } from "../git/repository.ts";
import type { Files } from "../git/story.ts";
import { bash } from "../plan-parts.ts";
import { diary } from "../projects/diary.ts";
import { gauge } from "../projects/gauge.ts";
import { compareProject, rightFiles, rightFolder, type Project } from "../projects/project.ts";
import { till } from "../projects/till.ts";
import { text, writeFile } from "../text.ts";

/** Branches of a program that went apart, to be merged so that it does what each of them wanted. */
export const gitMerge: Family = {
  name: "git-merge",
  summary: "merge branches that changed the same lines, so that both sides' behaviour holds; a rename on one side that git does not see",
  split: "train",
  tags: ["git", "merge", "python"],
  draw,
};

function draw(d: Draw, level: Level): TaskDraft {
  const project = d.pick([till, diary, gauge])(d);
  const parting = drawParting(d, project, level);
  const { commits, tips, sides, together } = parting;
  const ids = commitIds(commits);
  const [, other = "", repair] = Object.keys(tips);
  const branches = [other, ...(repair === undefined ? [] : [repair])];
  const before = commits[tips["main"] ?? 0]?.files ?? {};
  const apart = Object.fromEntries(Object.entries(before).filter(([path]) => together[path] === undefined));
  const easy = level === "easy";
  const files = Object.keys(together).filter((path) => together[path] !== before[path]);
  const resolve = files.map((path) => writeFile(path, together[path] ?? "")).join("");
  const merges = branches.map((branch, i) => {
    const last = i === branches.length - 1;
    return `git merge --no-edit -q ${branch} || { git checkout -q --ours . ; git add -A; git commit -q --no-edit; }\n${last ? `${resolve}git add -A\ngit diff --cached --quiet || git commit -q --amend --no-edit\n` : ""}`;
  });
  const solve = easy ? `git merge --no-edit ${other}\n` : merges.join("");
  const take = (way: string): string => branches.map((branch) => `git merge -q --no-edit ${way} ${branch} || { git add -A; git commit -q --no-edit; }\n`).join(""); // prettier-ignore
  const asked = sentences(project, parting, branches);
  return {
    instruction: [asked.story, asked.merge, asked.keep, asked.notes].join("\n\n"),
    ...(easy && {
      directions: `\`main\` is checked out, and the branches changed different places, so that git can merge them by itself. Run this command to make the merge commit:\n\n${fenced(solve)}`,
    }),
    ...repositoryOf(commits, tips),
    checks: { merged: asked.merge, behaviour: asked.keep, notes: asked.notes },
    tests: rightFiles(together),
    verify: verifier(project, parting, { ids, apart }),
    solve,
    wrong: {
      "takes-only-theirs": `git checkout -q ${other} -- .\ngit commit -q -m 'Take ${other}'\n`,
      "keeps-only-ours": take("-s ours"),
      ...(!easy && {
        "ours-in-conflicts": take("-X ours"),
        "theirs-in-conflicts": take("-X theirs"),
        "keeps-the-markers": take(""),
      }),
      ...(Object.keys(apart).length > 0 && { "keeps-the-package-alone": `${solve}git rm -q -r --ignore-unmatch docs tools\ngit commit -q --amend --no-edit\n` }), // prettier-ignore
      "does-not-commit": `git merge -q --no-commit --no-ff ${other}\n${resolve}git add -A\n`,
    },
    plan: {
      steps: [
        { say: "I look at the branches.", calls: [bash("git log --oneline --graph --all; git status --short")], check: false },
        { say: "I merge, and keep what each side wanted.", calls: [bash(solve)], check: false },
        { say: "I look at the history.", calls: [bash("git status --short; git log --oneline --graph | head -n 20")], check: true },
      ],
      answer: `${branches.join(" and ")} ${branches.length > 1 ? "are" : "is"} merged into \`main\`; both sides' wishes hold.`,
      slip: [{ say: "I merge.", calls: [bash(easy ? take("-s ours") : take("-X ours"))], check: false }],
      claims: [sides[0]?.branch ?? "main"],
    },
  };
}

interface Sentences {
  readonly story: string;
  readonly merge: string;
  readonly keep: string;
  readonly notes: string;
}

function sentences({ name, about }: Project, { sides, renamed }: Parting, branches: readonly string[]): Sentences {
  const list = sides
    .filter(({ says }) => says.length > 0)
    .flatMap(({ branch, says }) => says.map((one) => `- ${one} (\`${branch}\`)`))
    .join("\n");
  const named = branches.map((branch) => `\`${branch}\``).join(" and ");
  return {
    story: `This folder is a git repository with the Python package \`${name}\`. ${about} Its branches \`main\` and ${named} went apart; each has got commits of its own.`,
    merge: `Merge ${named} into \`main\`, with ${branches.length > 1 ? "merge commits" : "a merge commit"}; all commits of ${branches.length > 1 ? "all three branches" : "both branches"} are then in the history of \`main\`. Commit everything: afterwards the files in the folder are those of \`main\`, and a file that no branch changed is as it was.`,
    keep: text`
      After the merge \`python3 -m ${name}\` on \`main\` does what each side wanted, also where the two meet:

      ${list}

      ${renamed ? `What \`${branches.at(-1) ?? ""}\` mended is mended, and a function that got a new name on \`main\` has only that name everywhere. For` : "For"} everything else the docstrings of the package count.
    `.trimEnd(),
    notes: "`NOTES.md` on `main` has every line that it has on any of the branches, each once, and nothing else.",
  };
}

/** `ids`: of the commits by place. `apart`: files beside the package that no branch changed. */
function verifier(project: Project, { tips, renamed }: Parting, { ids, apart }: { ids: readonly string[]; apart: Files }): string {
  const { name, shared, forkInput, forkEdges } = project;
  return text`
    import re

    ${rightFolder}


    ${compareProject(project)}


    ${repositoryReader}


    def both():
        stdin = drawn_${name}()
        ${forkInput}


    def edges_of_both():
        ${forkEdges}


    @check("merged")
    def _():
        for branch, commit in ${JSON.stringify(Object.fromEntries(Object.entries(tips).map(([branch, at]) => [branch, ids[at]])))}.items():
            expect(has("main", commit), f"the commits of {branch} are not all in main")
        files = tree("refs/heads/main")
        for path, content in ${JSON.stringify(apart)}.items():
            expect(files.get(path) == content, f"{path}, which no branch changed, is not as it was")
        same_as_committed(files)


    @check("behaviour")
    def _():
        files = tree("refs/heads/main")
        for path, content in files.items():
            expect(not any(line.startswith(("<<<<<<<", ">>>>>>>")) for line in content.splitlines()), f"{path} has conflict markers")
            ${
              renamed
                ? text`
              expect(not path.endswith(".py") or "${shared.name}" not in re.findall(r"\w+", content), f"{path} has the old name ${shared.name}")
            `
                : "pass"
            }
        compare_${name}(unfold(files), edges_of_both() + edges_${name}() + [both() for _ in range(4)])


    @check("notes")
    def _():
        wanted = [line for line in json.load(open(os.path.join(tests, "right.json"), encoding="utf-8"))["NOTES.md"].splitlines() if line.strip()]
        same(sorted(line.rstrip() for line in tree("refs/heads/main")["NOTES.md"].splitlines() if line.strip()), sorted(wanted), "the lines of NOTES.md")
  `;
}
