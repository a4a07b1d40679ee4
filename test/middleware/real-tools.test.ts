import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createInPlaceSandbox } from "../../harness/sandbox/in-place-sandbox.ts";
import { presets } from "../../middleware/presets/presets.ts";
import { builtinMiddleware } from "../../middleware/registry.ts";
import { runFixture, type ScriptedReply } from "../../testing.ts";
import { needs } from "../needs.ts";
import { bench } from "../harness/tools/call-tool.ts";
import { bash, say, write } from "./workspace.ts";

/** The four as `standard` has them, with the built-in tools in a real sandbox; only the model is scripted. */
async function standard(kind: "local" | "bubblewrap", script: ScriptedReply[], task = "Do it.") {
  const folder = mkdtempSync(join(tmpdir(), "forge-real-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sandbox = await createInPlaceSandbox(folder, { kind });
  const { tools } = bench(sandbox);
  const middleware = (presets["standard"]?.middleware ?? []).map((entry) => {
    const definition = builtinMiddleware[String(entry)];
    if (!definition) throw new Error(`no ${JSON.stringify(entry)}`);
    return definition.create(definition.options.parse({}));
  });
  try {
    return await runFixture({ middleware, script, task, tools, ports: { sandbox } });
  } finally {
    await tools.close();
    await sandbox.close();
  }
}

describe.each(["local", "bubblewrap"] as const)("the four with the built-in tools in %s", (kind) => {
  const missing = kind === "bubblewrap" && needs("bubblewrap");

  it.skipIf(missing)("tell where it is, mind an unproven finish, and are content once the work was run", async () => {
    const run = await standard(
      kind,
      [
        write("add.sh", "echo $(($1 + $2))\n"),
        say("DONE"),
        bash("sh add.sh 1 2 > sum.txt; cat sum.txt"),
        say("I wrote the sum to total.txt."),
        bash("mv sum.txt total.txt && cat total.txt"),
        say("DONE"),
      ],
      "Add 1 and 2 and write the sum to total.txt.",
    );
    expect(run.result.outcome).toEqual({ type: "done" });
    expect(run.interventions.map((one) => `${one.name}: ${one.change}`)).toEqual([
      "local-context: message",
      "reasoning-sandwich: no effect",
      "completion-gate: resume",
      "completion-gate: resume",
    ]);
    expect(run.interventions[2]?.why).toContain("Nothing was run since the last edit of add.sh");
    expect(run.interventions[3]?.why).toContain("total.txt");
    expect((await run.replay()).exact).toBe(true);
  });

  it.skipIf(missing)("notice edits through the shell and failing calls that are made again", async () => {
    const script = [
      ...Array.from({ length: 5 }, (_, i) => bash(`echo ${i} >> notes.py`)),
      ...Array.from({ length: 3 }, () => bash("cat nothing.txt")),
      say("It failed."),
    ];
    const run = await standard(kind, [...script, say("It failed."), say("It failed.")]);
    const said = run.interventions.filter((one) => one.name === "loop-detection").map((one) => one.why);
    expect(said).toEqual(["5 edits of notes.py", "the same error 2 times", expect.stringContaining("failed 2 times in a row")]);
  });
});
