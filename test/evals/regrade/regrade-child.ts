/** A regrade in a process of its own, for a test that kills it: `node jiti-cli regrade-child.ts JOB TASK`. */
import { regradeJob } from "../../../evals/regrade/regrade-job.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import { benchPorts } from "../bench-fixture.ts";

const [, , job = "", task = ""] = process.argv;
await regradeJob({ job, tasks: [await loadTask(task, { own: true })] }, await benchPorts(), { signal: new AbortController().signal });
