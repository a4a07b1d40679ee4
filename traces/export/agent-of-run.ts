import { isObject } from "../../harness/json.ts";
import type { ExportedRun } from "./exported-run.ts";

/** Who ran: Forge, or the agent that a run was imported from. */
export function agentOfRun({ events }: Pick<ExportedRun, "events">): { readonly name: string; readonly version: string } {
  const meta = record(events[0]?.d["meta"]);
  const imported = meta["imported"];
  const text = (value: unknown): string => (typeof value === "string" && value !== "" ? value : "unknown");
  return isObject(imported)
    ? { name: text(meta["agent"]), version: text(imported["version"]) }
    : { name: "forge", version: text(meta["forgeVersion"]) };
}

const record = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});
