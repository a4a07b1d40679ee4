import type { SandboxProvider } from "../../../harness/sandbox/provider.ts";

/** A daemon may still be making what was asked of it in the last moment, or be restarting: looks again after these milliseconds, then ends. */
const looks = [0, 500, 1_500, 3_000, 5_000, 10_000];
const ownerEndsWithinMs = 10_000;

/** What the reaper touches the world with. */
export interface Reaping {
  /** Whether the process whose sandboxes these are is gone. */
  hasEnded(): boolean;
  /** Called once, when it is gone. */
  providers(): Promise<readonly Pick<SandboxProvider, "sweep">[]>;
  wait(ms: number): Promise<unknown>;
}

/** Waits until the owner is gone, but not for ever, then removes what it left, at once and again until nothing can come late any more. */
export async function reapLeft({ hasEnded, providers, wait }: Reaping): Promise<void> {
  for (let waited = 0; !hasEnded() && waited < ownerEndsWithinMs; waited += 100) await wait(100);
  const all = await providers();
  for (const ms of looks) {
    await wait(ms);
    // what does not answer now may at the next look; and if not, the sweep at the next start removes it
    await Promise.all(all.map((provider) => provider.sweep().catch(() => 0)));
  }
}
