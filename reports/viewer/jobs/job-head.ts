import { jobOverview } from "../../../evals/job/job-overview.ts";
import { plural } from "../../text/format.ts";
import { oneLine } from "../../../harness/text/printable.ts";
import type { JobHead } from "../api.ts";
import type { Places } from "../places.ts";
import { jobLine } from "./job-line.ts";
import type { JobStore } from "./job-store.ts";
import type { LiveJobs } from "./live-progress.ts";

/** What stands above a job: how far it is, and how much of it has been read here. */
export async function jobHead(store: JobStore, places: Places, live: LiveJobs): Promise<JobHead> {
  await store.refresh();
  store.begin();
  const { read, of, records, version, damaged } = store.progress();
  const one = await jobOverview(store.folder, { recorded: records });
  return {
    line: jobLine(one, places),
    about: oneLine(
      `${plural(one.tasks, "task")} × ${plural(one.configurations.length, "configuration")} × ${plural(one.repeats, "repeat")}, ${one.agent === "configured" ? "" : `agent ${one.agent}, `}sandbox ${one.sandbox}, Forge ${one.forgeVersion}`,
    ),
    read,
    there: of,
    damaged: damaged.map(oneLine),
    version,
    live: one.runner ? live.of(store.folder) : null,
  };
}
