import { stat } from "node:fs/promises";
import { join, posix } from "node:path";
import { listHostFolder } from "../../../harness/sandbox/workspace/pack-folder.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { quote } from "../../../harness/sandbox/shell/quote.ts";
import type { Task } from "../../../tasks/task.ts";

/**
 * Puts the tests that the agent was given (`tests/given/`, as they lie in the workdir) back as they were, whatever it made of them, and takes away
 * bytecode beside them, which Python would run instead.
 */
export async function bringGivenTests(task: Task, sandbox: Sandbox): Promise<void> {
  const folder = join(task.verifier.testsFolder, "given");
  if (
    !(await stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    ))
  )
    return;
  const files = (await listHostFolder(folder)).filter(({ type }) => type === "file");
  if (files.length === 0) return;
  const at = (path: string): string => quote(posix.join(sandbox.workdir, path));
  // Whatever lies in the way of a folder goes too: a link there would lead the copy elsewhere.
  const parents = [...new Set(files.flatMap(({ path }) => parentsOf(path)))].toSorted();
  const clear = [
    ...parents.map((path) => `[ -d ${at(path)} ] && [ ! -L ${at(path)} ] || rm -rf -- ${at(path)}`),
    `rm -rf -- ${files.map(({ path }) => `${at(path)} ${at(posix.join(posix.dirname(path), "__pycache__"))}`).join(" ")}`,
  ];
  await sandbox.exec(clear.join("\n"), { cwd: "/" });
  await sandbox.upload(folder, sandbox.workdir);
}

function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let at = posix.dirname(path); at !== "."; at = posix.dirname(at)) parents.push(at);
  return parents;
}
