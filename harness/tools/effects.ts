import type { Effects } from "../contract/messages.ts";
import type { Evidence } from "../contract/ports.ts";
import { textOf } from "../contract/messages.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { checkOf } from "./effects/checks/check-of.ts";
import { shownPath } from "./sandbox-path.ts";
import { changedPaths, scanTree, type Tree } from "./effects/scan-tree.ts";
import { createSnapshots } from "./effects/snapshots.ts";
import type { ToolOutcome } from "./tool.ts";

/**
 * Decides what a call changed; nobody else does.
 *
 * *edited*: files of the workdir that a look before and a look after the call show as added, changed or removed, so that edits through bash
 * count too; and what the tool says it wrote elsewhere. Histories, dependencies and caches do not count. Each look is the next call's "before":
 * one look a call. So what a background shell or a middleware writes between two calls is found at the next call that may write.
 *
 * *check*: the call's command really ran a test, build or type-check runner: see `effects/checks/check-of.ts`.
 */
export interface EffectsTracker {
  /** Before a tool that may write. */
  before(signal: AbortSignal): Promise<void>;
  after(o: { readOnly: boolean; outcome: ToolOutcome; signal: AbortSignal }): Promise<Effects>;
  /** What the workdir is after the last call that may write, where that is another state than before; where snapshots are taken. */
  snapshot(signal: AbortSignal): Promise<Evidence | undefined>;
}

export function createEffects(sandbox: Sandbox, o: { readonly snapshots: boolean }): EffectsTracker {
  let last: Tree | undefined;
  const snapshots = o.snapshots ? createSnapshots(sandbox) : undefined;
  return {
    async before(signal) {
      last ??= await scanTree(sandbox, signal);
      await snapshots?.begin(last, signal);
    },
    async after({ readOnly, outcome, signal }) {
      const edited = new Set((outcome.hint?.wrote ?? []).map((path) => shownPath(sandbox, path)));
      if (!readOnly) {
        const before = last ?? { files: new Map(), complete: false };
        last = await scanTree(sandbox, signal);
        for (const path of changedPaths(before, last)) edited.add(path);
      }
      const { command, exitCode } = outcome.hint ?? {};
      const check = command === undefined ? undefined : checkOf({ command, exitCode: exitCode ?? null, output: textOf(outcome.content) });
      return { edited: [...edited].sort(), ...(check && { check }) };
    },
    snapshot: async (signal) => (last ? snapshots?.after(last, signal) : undefined),
  };
}
