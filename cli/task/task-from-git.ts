import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { nameFilter } from "../../harness/text/name-filter.ts";
import { ConfigError } from "../../harness/errors.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { plural } from "../../reports/text/format.ts";
import { looksLikeTest, readCommit, type CommitChange } from "../../tasks/from-git/read-commit.ts";
import { testCommand } from "../../tasks/from-git/test-command.ts";
import { writeGitTask } from "../../tasks/from-git/write-git-task.ts";
import { loadTask } from "../../tasks/formats/load-task.ts";
import { createGitObjects } from "../../tasks/scaffold/git-objects.ts";
import { settleModes } from "../../tasks/scaffold/settle-modes.ts";
import { nameOfNewTask } from "../../tasks/scaffold/new-task-name.ts";
import { writeNewFolder } from "../../harness/files/write-new-folder.ts";
import { lookAtDraft, requireHolding, requireRunner, type Drafted } from "./gate-draft.ts";
import { draftOptions } from "./draft-options.ts";
import { interruptible } from "../shared/interruptible.ts";
import { namesListed } from "../shared/names-listed.ts";
import type { FromGitFlags } from "./options.ts";

/** Carries out `forge task from-git`. */
export async function taskFromGit(repository: string, revision: string, o: FromGitFlags): Promise<void> {
  const out = o.out ?? `${slug(repository)}-${slug(revision).slice(0, 12)}`;
  const name = nameOfNewTask(out);
  const options = draftOptions(o, "from-git");
  const instruction = o.instruction === undefined ? undefined : await textOf(o.instruction);
  const fits = o.tests === undefined ? undefined : nameFilter(`{${namesListed(o.tests).join(",")}}`);
  // An address names a protocol, or a machine before a colon, as ssh has it; the rest is a folder.
  if (!existsSync(repository) && !/^([a-z][a-z0-9+.-]*:\/\/|[^/]+:)/i.test(repository))
    throw new ConfigError(
      `${repository}: there is no such folder. Name a repository's folder, or an address such as https://github.com/org/project.`,
    );
  const scratch = await mkdtemp(join(tmpdir(), "forge-from-git-"));
  const make = async (stop: AbortSignal): Promise<{ readonly change: CommitChange; readonly report: Drafted }> => {
    const git = await createGitObjects(join(scratch, "objects.git"), { signal: stop });
    const place = existsSync(repository) ? resolve(repository) : repository;
    const local = existsSync(repository) ? await git.named(place, revision) : revision;
    const change = await readCommit(git, { repository: place, revision: local, isTest: fits ?? looksLikeTest });
    const command = testCommand(change.testsWritten, o.check);
    const report = await writeNewFolder(out, async (draft): Promise<Drafted> => {
      await writeGitTask(draft, git, {
        ...options,
        repository: slug(repository),
        change,
        command,
        ...(instruction !== undefined && { instruction }),
      });
      await settleModes(draft);
      if (o.untried) return { digest: (await loadTask(draft)).digest, sandbox: null };
      let looked = await lookAtDraft(draft, o.sandbox, stop);
      const half = "wrong solution half-of-it fails";
      if (looked.lines.some(({ check, ok }) => check === half && !ok)) {
        // Half of the change was enough for its tests, so it is no mistake that they can find.
        await rm(join(draft, "solution", "wrong", "half-of-it.sh"));
        await rm(join(draft, "solution", "half.patch"));
        looked = { ...looked, lines: looked.lines.filter(({ check }) => check !== half), digest: (await loadTask(draft)).digest };
      }
      requireRunner(looked);
      requireHolding(looked);
      return looked;
    });
    return { change, report };
  };
  try {
    const { change, report } = await interruptible(({ stop }) => make(stop), "nothing was written");
    if (o.json) {
      const { commit, parent, testsWritten, sources } = change;
      process.stdout.write(
        `${jsonLine({ task: name, folder: out, digest: report.digest, checked: report.sandbox, commit, parent, tests: [...testsWritten], sources: [...sources] })}\n`,
      );
      return;
    }
    const checked = report.sandbox === null ? "not checked" : `its solution passes, nothing and its mistakes fail (${report.sandbox})`;
    process.stdout.write(
      `${out}: ${oneLine(change.message.split("\n")[0] ?? "")}\n  the state of ${change.parent.slice(0, 12)}, ${plural(change.sources.length, "changed file")}, ${plural(change.testsWritten.length, "test file")}; ${checked}\nRead instruction.md: a commit's message was not written to be a task. Next: forge task check ${out} --full\n`,
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function textOf(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch(() => {
    throw new ConfigError(`--instruction: ${path} cannot be read. Name a text file with what the agent is asked.`);
  });
  if (text.trim() === "") throw new ConfigError(`--instruction: ${path} is empty. Write there what the agent is asked.`);
  return text;
}

/** The last part of an address or path, as a task may be called. */
const slug = (text: string): string =>
  (resolve("/", text.replace(/\/+$/, "")).split("/").pop() ?? "")
    .replace(/\.git$/, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "") || "task";
