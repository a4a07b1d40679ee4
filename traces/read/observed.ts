import { CannotError } from "../../harness/errors.ts";
import type { RunEvent } from "../../harness/events/schema.ts";
import { isObject } from "../../harness/json.ts";

/** Whether a run is another agent's, seen by the gateway. */
export function isObserved(start: RunEvent | undefined): boolean {
  const config = start?.t === "run.start" ? start.d["config"] : undefined;
  return isObject(config) && isObject(config["agent"]);
}

/** @throws CannotError for a run of another agent: what Forge's own loop, tools or middleware would do is no question about it */
export function refuseObserved(start: RunEvent | undefined): void {
  if (isObserved(start))
    throw new CannotError(
      "The run is another agent's: Forge's own prompts, tools and middleware are no part of it. forge replay checks its requests and events, and forge replay tools runs the agent again.",
    );
}
