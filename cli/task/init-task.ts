import { jsonLine } from "../../reports/text/json-line.ts";
import { nextSteps } from "../../reports/text/next-steps.ts";
import { loadTask } from "../../tasks/formats/load-task.ts";
import { scaffoldTask } from "../../tasks/scaffold/scaffold-task.ts";
import { settleModes } from "../../tasks/scaffold/settle-modes.ts";
import { nameOfNewTask } from "../../tasks/scaffold/new-task-name.ts";
import { writeNewFolder, writeTexts } from "../../harness/files/write-new-folder.ts";

/** Carries out `forge task init`. */
export async function initTask(folder: string, o: { json?: boolean }): Promise<void> {
  const name = nameOfNewTask(folder);
  const { digest } = await writeNewFolder(folder, async (draft) => {
    await writeTexts(draft, scaffoldTask());
    await settleModes(draft);
    return loadTask(draft);
  });
  if (o.json) process.stdout.write(`${jsonLine({ task: name, folder, digest })}\n`);
  else
    process.stdout.write(
      `${folder} holds a small task that passes the gate as it is.\nChange, in this order: instruction.md, environment/app, tests/verify.py and tests/checks.json, solution/.\n${nextSteps([["Next", `task check ${folder} --full`]])}\n`,
    );
}
