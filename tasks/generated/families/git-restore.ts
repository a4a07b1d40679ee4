import type { Draw } from "../draw.ts";
import type { Family, Level, TaskDraft } from "../family.ts";
import { commitIds, repositoryOf } from "../git/history.ts";
import { drawLoss } from "../git/losses.ts";
import { repositoryReader } from "../git/repository.ts";
import { decoys, tell } from "../git/story.ts";
import { bash } from "../plan-parts.ts";
import { diary } from "../projects/diary.ts";
import { gauge } from "../projects/gauge.ts";
import { rightFiles } from "../projects/project.ts";
import { till } from "../projects/till.ts";
import { text } from "../text.ts";

/** Work that is in no branch any more, but still in the repository: a deleted branch, commits cut off, a dropped stash. */
export const gitRestore: Family = {
  name: "git-restore",
  summary:
    "bring lost work back from a repository: a deleted branch, commits that were reset away, a dropped stash, beside work that was thrown away for good",
  split: "test",
  tags: ["git", "recovery"],
  draw,
};

function draw(d: Draw, level: Level): TaskDraft {
  const project = d.pick([till, diary, gauge])(d);
  const base = tell(d, { ...project.modules, "NOTES.md": "# Notes\n\n" }, decoys(d, project, { easy: 2, medium: 5, hard: 9 }[level]));
  const loss = drawLoss(d, level, { project, forks: d.shuffled(project.forks), commits: base.commits });
  const { commits, branches, steps, asked, solve, wrong, wanted } = loss;
  const ids = commitIds(commits);
  const files = { ...commits[wanted.place]?.files };
  const fill = (script: string): string => script.replaceAll(/@(\d+)/g, (_, place: string) => ids[Number(place)] ?? "");
  return {
    instruction: text`
      This folder is a git repository with the Python package \`${project.name}\`. ${asked.story}

      ${asked.restore}

      ${asked.keep}
    `,
    ...(loss.told !== undefined && {
      directions: loss.told.replaceAll(/@(\d+)/g, (_, place: string) => (ids[Number(place)] ?? "").slice(0, 7)),
    }),
    ...repositoryOf(commits, branches, steps.map(fill)),
    checks: { restored: asked.restore, kept: asked.keep },
    tests: rightFiles(files),
    verify: text`
      ${repositoryReader}


      @check("restored")
      def _():
          files = tree("refs/heads/${wanted.branch}") if commit_of("${wanted.branch}") else {}
          wanted = json.load(open(os.path.join(tests, "right.json"), encoding="utf-8"))
          same(sorted(files), sorted(wanted), "the files of ${wanted.branch}")
          for path in wanted:
              same(files[path], wanted[path], f"{path} of ${wanted.branch}")
          ${wanted.ancestors
            .map((place) => `expect(has("${wanted.branch}", "${ids[place] ?? ""}"), "${wanted.branch} lacks a commit that was lost")`)
            .join("\n")}
          ${loss.added === undefined ? "" : `same(git("rev-list", "--count", "${ids[loss.kept["main"] ?? 0] ?? ""}..refs/heads/main").strip(), "${loss.added}", "how many commits there are on top of main")`}


      @check("kept")
      def _():
          for branch, commit in ${JSON.stringify(Object.fromEntries(Object.entries(loss.kept).map(([branch, place]) => [branch, ids[place]])))}.items():
              expect(has(branch, commit), f"{branch} has lost a commit")
          for branch, commit in ${JSON.stringify(Object.fromEntries(Object.entries(loss.ends).map(([branch, place]) => [branch, ids[place]])))}.items():
              same(commit_of(branch), commit, f"the end of {branch}")
          same_as_committed(tree("refs/heads/main"))
          same(read(".git/HEAD").strip(), "ref: refs/heads/main", "what is checked out")
    `,
    solve: fill(solve),
    wrong: Object.fromEntries(Object.entries(wrong).map(([name, script]) => [name, fill(script)])),
    plan: {
      steps: [
        { say: "I look for what is still there.", calls: [bash("git reflog --all | head -n 40; git fsck --lost-found 2>/dev/null | head -n 20; cat *.txt 2>/dev/null")], check: false }, // prettier-ignore
        { say: "I bring it back.", calls: [bash(fill(solve))], check: false },
        { say: "I look at the branches.", calls: [bash("git status --short; git log --oneline --graph --all | head -n 20")], check: true },
      ],
      answer: `\`${wanted.branch}\` has the lost work again.`,
      slip: [{ say: "I bring it back.", calls: [bash(fill(Object.values(wrong)[0] ?? ""))], check: false }],
      claims: [wanted.branch],
    },
  };
}
