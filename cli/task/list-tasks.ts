import { oneLine } from "../../harness/text/printable.ts";
import { plainTable } from "../../reports/text/lay-table.ts";
import { plural, unknown } from "../../reports/text/format.ts";
import { loadSuite } from "../../tasks/formats/load-suite.ts";
import { ownSuites } from "../../tasks/formats/own-suites.ts";
import { hasSolution } from "../../tasks/has-solution.ts";
import type { Suite } from "../../tasks/task.ts";

/** Carries out `forge task list`. */
export async function listTasks(suiteName: string | undefined, o: { json?: boolean }): Promise<void> {
  const suites = await Promise.all((suiteName === undefined ? [...ownSuites] : [suiteName]).map((name) => loadSuite(name)));
  const rows = suites.flatMap(rowsOf);
  for (const { name, reason } of suites.flatMap((suite) => suite.refused ?? []))
    process.stderr.write(`${oneLine(`left out: ${name}: ${reason}`)}\n`);
  if (o.json) {
    process.stdout.write(`${JSON.stringify(rows)}\n`);
    return;
  }
  const docker = rows.some((row) => !row.local);
  const cells = rows.map((row) =>
    [
      row.suite,
      row.task,
      row.family ?? unknown,
      row.level ?? unknown,
      row.split ?? unknown,
      ...(docker ? [row.local ? "no" : "yes"] : []),
      String(row.wrong),
      row.tags.join(" "),
    ].map(oneLine),
  );
  process.stdout.write(
    `${plainTable(["suite", "task", "family", "level", "split", ...(docker ? ["Docker only"] : []), "wrong solutions", "tags"], cells, { left: true, dispensable: ["split", "tags"] })}\n`,
  );
  const families = new Set(rows.map(({ family }) => family)).size;
  process.stdout.write(`${plural(rows.length, "task")}, ${plural(families, "family", "families")}\n`);
}

function rowsOf({ name: suite, tasks }: Suite) {
  return tasks.map((task) => {
    const {
      name,
      folder,
      digest,
      format,
      metadata: { difficulty, family, split, tags },
      forge,
      wrong,
      plan,
    } = task;
    return {
      suite,
      task: name,
      family: family ?? null,
      level: difficulty ?? null,
      split: split ?? null,
      tags,
      format,
      local: forge?.local === true,
      hardened: forge !== undefined,
      wrong: wrong.length,
      solution: hasSolution(task),
      plan: plan !== undefined,
      digest,
      folder,
    };
  });
}
