import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { commandVerifier } from "../scaffold/command-verifier.ts";
import type { DraftedTask } from "../scaffold/drafted-task.ts";
import type { GitObjects } from "../scaffold/git-objects.ts";
import { changePlan, dockerfileFor, patchScript } from "../scaffold/patch-solution.ts";
import { hardenedTaskToml } from "../scaffold/task-toml.ts";
import { writeTexts } from "../scaffold/write-new-folder.ts";

export interface RunTaskOptions extends DraftedTask {
  readonly run: string;
  /** What the user asked for. */
  readonly request: string;
  /** Commit with the folder's files as they were. */
  readonly checkpoint: string;
  /** For bash, in the working directory: ends with 0 when the request is met. */
  readonly check: string;
  /** From the checkpoint to a state that meets the request, and the files it changes; left out where none is known. */
  readonly solution?: { readonly patch: Buffer; readonly changed: readonly string[] };
}

/** Writes a task's folder: the files before the run's first change, its request, and the user's check as verifier. */
export async function writeRunTask(folder: string, git: GitObjects, o: RunTaskOptions): Promise<void> {
  await git.writeFiles(o.checkpoint, join(folder, "environment", "app"));
  const asked = `this command ends well: \`${o.check.replaceAll(/\s+/g, " ").trim()}\``;
  const verifier = commandVerifier({
    check: "the user's check",
    asked,
    command: o.check,
    timeoutSec: o.timeoutSec,
    written: [],
    removed: [],
  });
  await writeTexts(folder, {
    "task.toml": hardenedTaskToml({
      notes: [`${o.run}, checkpoint ${o.checkpoint}`],
      difficulty: o.difficulty,
      tags: ["from-run"],
      family: o.family,
      split: o.split,
      local: o.image === undefined,
      verifierSec: o.timeoutSec + 60,
    }),
    "instruction.md": `${o.request.trim()}\n\nWhen it is done, ${asked}.\n`,
    "environment/Dockerfile": dockerfileFor(o),
    ...Object.fromEntries(Object.entries(verifier).map(([path, text]) => [`tests/${path}`, text])),
    ...(o.solution && {
      "solution/solve.sh": patchScript("change.patch"),
      "solution/plan.yaml": stringify(changePlan(o.solution.patch, o.solution.changed), { lineWidth: 0 }),
      "solution/wrong/only-says-so.sh": "echo 'The change is made.' >> NOTES.md\n",
    }),
  });
  if (!o.solution) return;
  await mkdir(join(folder, "solution"), { recursive: true });
  await writeFile(join(folder, "solution", "change.patch"), o.solution.patch);
}
