import type { Sandbox } from "../harness/sandbox/sandbox.ts";
import { ConfigError } from "../harness/errors.ts";
import { createInPlaceSandbox } from "../harness/sandbox/in-place-sandbox.ts";
import { sandboxProviders } from "./assemble.ts";

/** The user's own folder as a sandbox, worked on in place: confined by bubblewrap where that works, else the plain machine. */
export async function openWorkspace(folder: string, asked: string | undefined): Promise<Sandbox> {
  if (asked !== undefined && asked !== "bubblewrap" && asked !== "local")
    throw new ConfigError(`--sandbox: expected bubblewrap or local, got "${asked}".`);
  const kind = asked ?? ((await (await sandboxProviders()("bubblewrap")).available()) === true ? "bubblewrap" : "local");
  return createInPlaceSandbox(folder, { kind });
}
