import type { JsonObject } from "../../harness/json.ts";
import type { BenchEvent } from "./bench-events.ts";
import { decisionLine } from "../compare/sequential/watch-decisions.ts";

/**
 * The journal's line of what a bench says, where the line has no other writer: it is for those who watch from another process, and nothing is counted by
 * it. Lines of a build are many and soon forgotten, so they are left out.
 */
export function journalLine(event: BenchEvent): JsonObject | undefined {
  switch (event.type) {
    case "image.start":
      return { t: event.type, ts: event.ts, task: event.task, ...verifier(event) };
    case "image.end": {
      const { ts, task, digest, deviations, error } = event;
      return {
        t: event.type,
        ts,
        task,
        ...verifier(event),
        digest,
        deviations: [...deviations],
        ...(error === undefined ? {} : { error }),
      };
    }
    case "task.left-out":
      return { t: event.type, ts: event.ts, task: event.task, reason: event.reason };
    case "job.pause":
    case "job.stop":
      return { t: event.type, ts: event.ts, reason: event.reason };
    case "job.decision":
      return decisionLine(event.decision, event.ts);
    case "job.resume":
      return { t: event.type, ts: event.ts };
    case "provider.pause":
      return { t: event.type, ts: event.ts, provider: event.provider, until: event.until };
    case "job.wait":
    case "job.start":
    case "image.line":
    case "trial.start":
    case "trial.step":
    case "trial.retry":
    case "trial.end":
    case "job.end":
      return undefined;
  }
}

const verifier = (event: { readonly verifier?: true }): { verifier?: true } => (event.verifier ? { verifier: true } : {});
