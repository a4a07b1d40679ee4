import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { nameFilter } from "../../harness/text/name-filter.ts";
import { ConfigError } from "../../harness/errors.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { plural } from "../../reports/text/format.ts";
import { nextSteps } from "../../reports/text/next-steps.ts";
import { makeGitTask } from "../../tasks/from-git/make-git-task.ts";
import { looksLikeTest } from "../../tasks/from-git/read-commit.ts";
import { nameOfNewTask } from "../../tasks/scaffold/new-task-name.ts";
import { lookAtDraft } from "./gate-draft.ts";
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
  const { change, drafted } = await interruptible(
    ({ stop }) =>
      makeGitTask({
        repository,
        called: slug(repository),
        revision,
        out,
        options,
        isTest: fits ?? looksLikeTest,
        check: o.check,
        signal: stop,
        ...(instruction !== undefined && { instruction }),
        ...(!o.untried && { tryDraft: (draft: string, signal: AbortSignal) => lookAtDraft(draft, o.sandbox, signal) }),
      }),
    "nothing was written",
  );
  if (o.json) {
    const { commit, parent, testsWritten, sources } = change;
    process.stdout.write(
      `${jsonLine({ task: name, folder: out, digest: drafted.digest, checked: drafted.sandbox, commit, parent, tests: [...testsWritten], sources: [...sources] })}\n`,
    );
    return;
  }
  const checked = drafted.sandbox === null ? "not checked" : `its solution passes, nothing and its mistakes fail (${drafted.sandbox})`;
  process.stdout.write(
    `${out}: ${oneLine(change.message.split("\n")[0] ?? "")}\n  the state of ${change.parent.slice(0, 12)}, ${plural(change.sources.length, "changed file")}, ${plural(change.testsWritten.length, "test file")}; ${checked}\nRead instruction.md: a commit's message was not written to be a task. ${nextSteps([["Next", `task check ${out} --full`]])}\n`,
  );
}

async function textOf(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch(() => {
    throw new ConfigError(`--instruction: ${path} cannot be read. Name a text file with the agent's instruction.`);
  });
  if (text.trim() === "") throw new ConfigError(`--instruction: ${path} is empty. Write the agent's instruction into it.`);
  return text;
}

/** The last part of an address or path, as a task may be called. */
const slug = (text: string): string =>
  (resolve("/", text.replace(/\/+$/, "")).split("/").pop() ?? "")
    .replace(/\.git$/, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "") || "task";
