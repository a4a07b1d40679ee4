/** Benches two configurations with the simulated model and prints the verdict. Arguments: a suite, a kind of sandbox. */
import { compareJobs, loadConfiguration, loadTasks, runBench, type SandboxKind } from "forge-lab";

const [suite = "demo", sandbox] = process.argv.slice(2);
const values = { model: "sim/careless" };
const configurations = await Promise.all(["bare", "standard"].map((name) => loadConfiguration(name, { values })));

const job = await runBench({
  suite: await loadTasks(suite),
  configurations,
  repeats: 2,
  ...(sandbox ? { sandbox: sandbox as SandboxKind } : {}),
  onEvent: (event) =>
    event.type === "trial.end" && console.log(`${event.trial.task} with ${event.trial.configuration}: ${event.record.class}`),
});
for (const { configuration, passed, trials } of job.configurations) console.log(`${configuration}: ${passed} of ${trials}`);

const { pairs, notComparable } = await compareJobs([job.folder]);
if (notComparable) console.log(notComparable);
for (const { a, b, verdict } of pairs) console.log(`${b} against ${a}: ${verdict.word}`);
