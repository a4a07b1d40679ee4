import { ConfigError, InfraError, messageOf } from "../harness/errors.ts";
import type { PreparedEnvironment, SandboxProvider } from "../harness/sandbox/provider.ts";
import type { Task } from "../tasks/task.ts";
import type { BenchEvent } from "./bench-events.ts";
import { pool } from "./pool.ts";

/**
 * Builds every task's environment once, before any trial. Where the machinery fails a build, its error comes
 * again from `create`, so that the task's trials have it.
 * @throws ConfigError for a Dockerfile that cannot be built here, and the abort reason.
 */
export async function prepareImages(
  tasks: readonly Task[],
  provider: SandboxProvider,
  o: {
    readonly jobs: number;
    readonly signal: AbortSignal;
    /** True: no further build is begun. */
    readonly stopped: () => boolean;
    readonly now: () => number;
    readonly onEvent: (event: BenchEvent) => void;
  },
): Promise<ReadonlyMap<string, PreparedEnvironment>> {
  const prepared = new Map<string, PreparedEnvironment>();
  const emit = o.onEvent;
  await pool(tasks, o.jobs, async ({ name: task, environment }) => {
    o.signal.throwIfAborted();
    if (o.stopped()) return;
    emit({ type: "image.start", ts: o.now(), task });
    try {
      const onProgress = (line: string): void => emit({ type: "image.line", ts: o.now(), task, line });
      const made = await provider.prepare(environment, { signal: o.signal, onProgress });
      prepared.set(task, made);
      emit({ type: "image.end", ts: o.now(), task, digest: made.digest, deviations: made.deviations });
    } catch (error) {
      if (error instanceof ConfigError || o.signal.aborted) throw error;
      prepared.set(task, withoutImage(messageOf(error)));
      emit({ type: "image.end", ts: o.now(), task, digest: null, deviations: [], error: messageOf(error) });
    }
  });
  return prepared;
}

function withoutImage(why: string): PreparedEnvironment {
  return { digest: "", workdir: "/", deviations: [], create: () => Promise.reject(new InfraError(why)) };
}
