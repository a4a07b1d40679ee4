import { fenced } from "../directions.ts";
import type { Draw } from "../draw.ts";
import type { Level } from "../family.ts";
import type { Fork, Project } from "../projects/project.ts";
import { swap } from "../swap.ts";
import { goods, teams } from "../words.ts";
import { treeId, type Commit } from "./history.ts";
import { note, type Files } from "./story.ts";

/** How work was lost, and how it is brought back. `@7` in shell stands for the hash of the commit at place 7. */
export interface Loss {
  readonly commits: readonly Commit[];
  readonly branches: Readonly<Record<string, number>>;
  /** Shell that goes on from the imported history. */
  readonly steps: readonly string[];
  readonly asked: { readonly story: string; readonly restore: string; readonly keep: string };
  /** For a beginner, at the easy level: how it is done. `@7` stands for the short hash. */
  readonly told?: string;
  readonly solve: string;
  readonly wrong: Readonly<Record<string, string>>;
  /** The branch that has the lost work again, the commit with its files, and lost commits that must be in its history. */
  readonly wanted: { readonly branch: string; readonly place: number; readonly ancestors: readonly number[] };
  /** How many commits `main` has on top of what is kept of it, where its end is not fixed. */
  readonly added?: number;
  /** Commits that belong to a branch afterwards. */
  readonly kept: Readonly<Record<string, number>>;
  /** Branches that stand exactly there afterwards. */
  readonly ends: Readonly<Record<string, number>>;
}

export interface Before {
  readonly project: Project;
  /** At least two at the hard level. */
  readonly forks: readonly Fork[];
  /** What was not lost; the last one is the tip of main. */
  readonly commits: readonly Commit[];
}

const clean = "The files in the folder are those of `main`, which stays checked out.";
const apply = (files: Files, { file, base, ours }: Fork): Files => ({ ...files, [file]: swap(files[file] ?? "", base, ours) });
const subject = ({ says }: Fork): string => says.ours.replace(/[.:].*$/, "");

/** A commit on top of another one, at the end of the list; answers its place. */
function grow(commits: Commit[], parent: number, message: string, change: (files: Files) => Files): number {
  return commits.push({ parents: [parent], files: change(commits[parent]?.files ?? {}), message, who: "dora" }) - 1;
}

export function drawLoss(d: Draw, level: Level, before: Before): Loss {
  const branch = `${d.pick(teams)}-${d.pick(goods)}`;
  return d.pick({ easy: [deletedBranch, cutOff], medium: [droppedStash, leftBranch, nowhere], hard: [drafts] }[level])(d, before, branch);
}

/** A branch was deleted, and what git said then was kept. */
function deletedBranch(_: Draw, { commits: past, forks: [fork] }: Before, branch: string): Loss {
  const commits = [...past];
  const main = past.length - 1;
  const lost = grow(commits, main, subject(must(fork)), (files) => apply(files, must(fork)));
  return {
    commits,
    branches: { main, [branch]: lost },
    steps: [`git branch -D ${branch} > terminal.txt`],
    asked: {
      story: `Its branch \`${branch}\` was deleted by mistake. What git said then is in \`terminal.txt\`.`,
      restore: `Bring the branch \`${branch}\` back, with the commit that it had.`,
      keep: `\`main\` stays where it is. ${clean}`,
    },
    told: `\`terminal.txt\` tells the short hash of the commit that the branch had, behind the word "was": \`@${lost}\`. Run this command to make the branch there again:\n\n${fenced(`git branch ${branch} @${lost}`)}`,
    solve: `git branch ${branch} @${lost}\n`,
    wrong: {
      "makes-another-branch": `git branch ${branch}\n`,
      "moves-main": `git branch ${branch} @${lost}\ngit reset -q --hard @${lost}\n`,
    },
    wanted: { branch, place: lost, ancestors: [lost] },
    kept: { main },
    ends: { main, [branch]: lost },
  };
}

/** The last commit of main was cut off. */
function cutOff(_: Draw, { commits: past, forks: [fork] }: Before): Loss {
  const commits = [...past];
  const lost = grow(commits, past.length - 1, subject(must(fork)), (files) => apply(files, must(fork)));
  return {
    commits,
    branches: { main: lost },
    steps: ["git reset -q --hard HEAD~1"],
    asked: {
      story: "By mistake somebody ran `git reset --hard HEAD~1` on `main` a moment ago; nothing was done since.",
      restore: "Bring the commit that was cut off back to the end of `main`.",
      keep: `All other commits of \`main\` stay. ${clean}`,
    },
    told: `git keeps the place where the branch was before a reset, as \`ORIG_HEAD\`. Run this command to bring the branch back there:\n\n${fenced("git reset --hard ORIG_HEAD")}`,
    solve: "git reset -q --hard ORIG_HEAD\n",
    wrong: {
      "goes-back-further": "git reset -q --hard main~1\n",
      "makes-a-commit-like-it": `git commit -q --allow-empty -m '${subject(must(fork)).replaceAll("'", "")}'\n`,
    },
    wanted: { branch: "main", place: lost, ancestors: [lost] },
    kept: { main: past.length - 1 },
    ends: { main: lost },
  };
}

/** Two stashes were dropped, of which one is needed. */
function droppedStash(d: Draw, { commits: past, forks: [fork, other], project }: Before): Loss {
  const commits = [...past];
  const main = past.length - 1;
  const [wish, draft] = [`wishes of ${d.pick(teams)}`, `try the ${d.pick(goods)}`];
  const lost = grow(commits, main, "Stashed", (files) => note(wish)(apply(files, must(fork))));
  const waste = grow(commits, main, "Stashed too", (files) => note(draft)(apply(files, must(other))));
  const stash = (place: number, words: string): string =>
    `git checkout -q @${place} -- . && git stash push -q -m '${words}' && git stash drop -q`;
  const find = (
    place: number,
  ): string => `for id in $(git fsck --no-reflogs --unreachable 2>/dev/null | awk '$2 == "commit" { print $3 }'); do
  [ "$(git rev-parse "$id^{tree}")" = ${treeId(commits[place]?.files ?? {})} ] && git log -1 --format=%s $id | grep -q '^On ' && git checkout -q $id -- .
done
git commit -q -m 'What had been stashed'
`;
  return {
    commits,
    branches: { main },
    steps: d.shuffled([stash(lost, wish), stash(waste, draft)]),
    asked: {
      story: `Two stashes were made on \`main\` and dropped: "${wish}" and "${draft}".`,
      restore: `The stash "${wish}" was dropped by mistake: bring what it held back, as one new commit on top of \`main\`, and nothing of the other one.`,
      keep: `All commits of \`main\` stay in its history. ${clean}`,
    },
    solve: find(lost),
    wrong: {
      "takes-the-other-one": find(waste),
      "does-not-commit": find(lost).replace(/git commit.*\n$/, ""),
      "takes-both": `${find(lost)}git show --format= @${waste} -- ${project.name} | git apply && git commit -q -a -m 'And this'\n`,
    },
    wanted: { branch: "main", place: lost, ancestors: [main] },
    added: 1,
    kept: { main },
    ends: {},
  };
}

/** A branch was deleted some time ago; only the way of HEAD tells where it stood, beside other ways. */
function leftBranch(d: Draw, { commits: past, forks: [fork, other] }: Before, branch: string): Loss {
  const commits = [...past];
  const main = past.length - 1;
  const first = grow(commits, main, "Begin with it", note(`${branch} has begun`));
  const lost = grow(commits, first, subject(must(fork)), (files) => apply(files, must(fork)));
  const elsewhere = grow(commits, main, subject(must(other)), (files) => apply(files, must(other)));
  const done = `${d.pick(teams)}-done`;
  return {
    commits,
    branches: { main, [branch]: first, [done]: elsewhere },
    steps: [
      `git checkout -q ${branch}`,
      `git reset -q --hard @${lost}`,
      `git checkout -q ${done}`,
      "git checkout -q main", // prettier-ignore
      `git branch -q -D ${branch}`,
      `git branch -q -D ${done}`, // prettier-ignore
    ],
    asked: {
      story: `Its branches \`${branch}\` and \`${done}\` were deleted some time ago. \`${done}\` can go.`,
      restore: `Bring the branch \`${branch}\` back, with all commits that it had when it was left for the last time.`,
      keep: `\`main\` stays where it is. ${clean}`,
    },
    solve: `git branch ${branch} @${lost}\n`,
    wrong: {
      "takes-the-last-place": `git branch ${branch} HEAD@{1}\n`,
      "takes-an-earlier-place": `git branch ${branch} @${first}\n`,
      "stays-on-the-branch": `git checkout -q -b ${branch} @${lost}\n`,
    },
    wanted: { branch, place: lost, ancestors: [lost] },
    kept: { main },
    ends: { main, [branch]: lost },
  };
}

/** Commits were made while no branch was checked out. */
function nowhere(_: Draw, { commits: past, forks: [fork, other] }: Before, branch: string): Loss {
  const commits = [...past];
  const main = past.length - 1;
  const [one, two] = [must(fork), must(other)];
  const first = grow(commits, main - 1, subject(one), (files) => apply(files, one));
  const lost = grow(commits, first, subject(two), (files) => apply(files, two));
  return {
    commits,
    branches: { main },
    steps: [
      `git checkout -q @${first}`,
      `git checkout -q @${lost}`,
      "git checkout -q main",
      "git checkout -q HEAD~2",
      "git checkout -q main",
    ],
    asked: {
      story:
        "Two commits were made while no branch was checked out, one after the other; since then `main` and an old commit were looked at.",
      restore: `Make a branch \`${branch}\` at the second of these two commits.`,
      keep: `\`main\` stays where it is. ${clean}`,
    },
    solve: `git branch ${branch} @${lost}\n`,
    wrong: {
      "takes-the-last-place": `git branch ${branch} HEAD@{1}\n`,
      "takes-the-first": `git branch ${branch} @${first}\n`,
      "moves-main": `git branch ${branch} @${lost}\ngit reset -q --hard ${branch}\n`,
    },
    wanted: { branch, place: lost, ancestors: [lost] },
    kept: { main },
    ends: { main, [branch]: lost },
  };
}

/** No reflog is left; several drafts of a branch's last commit and of main's lie about, with the same messages. */
function drafts(d: Draw, { commits: past, forks: [fork, other], project }: Before, branch: string): Loss {
  const commits = [...past];
  const main = past.length - 1;
  const [one, two] = [must(fork), must(other)];
  const bugs = d.some(
    project.bugs.filter(({ file }) => file !== one.file && file !== two.file),
    2,
  );
  const [good, team] = [d.pick(goods), d.pick(teams)];
  const last = `Finish the ${good}`;
  const week = `Note what ${team} decided`;
  const begun = grow(commits, Math.floor(main / 2), `Begin with the ${good}`, (files) => apply(files, one));
  const finish = (files: Files): Files => note(`the ${good} is finished`)(apply(files, two));
  const attempts = bugs.map(({ file, right, wrong }) => grow(commits, begun, last, (files) => ({ ...finish(files), [file]: swap(finish(files)[file] ?? "", right, wrong) }))); // prettier-ignore
  const early = grow(commits, main, week, note(`${team}: no`));
  const lost = grow(commits, begun, last, finish);
  const step = grow(commits, main, `Ask ${team}`, note(`${team} was asked`));
  const beside = grow(commits, begun, `Finish the ${good} quickly`, (files) => note("in a hurry")(finish(files)));
  const ahead = grow(commits, step, week, note(`${team}: yes`));
  return {
    commits,
    branches: { main },
    steps: ["git reflog expire --expire=now --expire-unreachable=now --all"],
    asked: {
      story: `Its branch \`${branch}\` is gone, and \`main\` has lost its last two commits. No reflog tells where they stood; the commits themselves are still in the repository, among drafts that were thrown away. The last commit of \`${branch}\` had the message "${last}", the last one of \`main\` had "${week}". Of several commits with exactly the same message the one with the latest date is meant.`,
      restore: `Bring \`${branch}\` back, ending with that very commit.`,
      keep: `\`main\` has its two lost commits again and ends with that very commit; no other commit comes into it. ${clean}`,
    },
    solve: `git branch ${branch} @${lost}\ngit reset -q --hard @${ahead}\n`,
    wrong: {
      "takes-a-draft": `git branch ${branch} @${attempts[1] ?? 0}\ngit reset -q --hard @${ahead}\n`,
      "takes-the-latest-of-all": `git branch ${branch} @${beside}\ngit reset -q --hard @${ahead}\n`,
      "forgets-main": `git branch ${branch} @${lost}\n`,
      "takes-the-early-decision": `git branch ${branch} @${lost}\ngit reset -q --hard @${early}\n`,
      "merges-all": `git branch ${branch} @${lost}\ngit reset -q --hard @${ahead}\ngit merge -q --no-edit -X ours @${lost}\n`,
    },
    wanted: { branch, place: lost, ancestors: [lost] },
    kept: { main: ahead },
    ends: { main: ahead, [branch]: lost },
  };
}

function must(fork: Fork | undefined): Fork {
  if (!fork) throw new Error("The project has too few forks.");
  return fork;
}
