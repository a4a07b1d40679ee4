import type { Sandbox } from "../harness/sandbox/sandbox.ts";
import { createInPlaceSandbox } from "../harness/sandbox/in-place-sandbox.ts";
import { sandboxProviders } from "./create-bench-ports.ts";

/** The user's own folder as a sandbox, worked on in place: confined by bubblewrap where that works, else the plain machine. */
export async function openWorkspace(folder: string, asked: "bubblewrap" | "local" | undefined): Promise<Sandbox> {
  const kind = asked ?? ((await (await sandboxProviders()("bubblewrap")).available()) === true ? "bubblewrap" : "local");
  return createInPlaceSandbox(folder, { kind });
}
