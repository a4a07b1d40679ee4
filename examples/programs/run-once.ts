/** Runs the agent once on an example task, with the simulated model, and reads its events as they come. */
import { loadConfiguration, loadTasks, makeModel, makeSandbox, runOnce, type SandboxKind } from "forge-lab";

const [folder = "run-1", kind = "docker"] = process.argv.slice(2);
const [task] = (await loadTasks("demo")).tasks;
if (!task) throw new Error("The suite has no task.");
const config = await loadConfiguration("bare", { values: { model: "sim/default", limits: { turns: 20 } } });
const sandbox = await makeSandbox(task, { kind: kind as SandboxKind });
try {
  const { outcome, spent } = await runOnce({
    config,
    model: await makeModel(config, { task }),
    sandbox,
    task: task.instruction,
    folder,
    signal: AbortSignal.timeout(300_000),
    onEvent: ({ t, d }) => t === "tool.call" && console.log(JSON.stringify(d["call"])),
  });
  console.log(`${outcome.type} after ${spent.turns} turns, recorded in ${folder}`);
} finally {
  await sandbox.close();
}
