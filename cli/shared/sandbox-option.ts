import type { SandboxKind } from "../../harness/sandbox/sandbox.ts";
import { oneOf } from "./one-of.ts";

/** `--sandbox` of a command that makes a trial's sandbox again; left out: the kind that the trial had. */
export const sandboxOption = (value: string | undefined): SandboxKind | "local-unsafe" | undefined =>
  value === undefined ? undefined : oneOf("--sandbox", value, ["docker", "bubblewrap", "local", "local-unsafe"] as const);
