import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { BenchEvent } from "../../../evals/bench/bench-events.ts";
import type { JobResult } from "../../../evals/job/results/job-result.ts";

/** A run of the compiled command, in a process of its own. */
export interface StartedBench {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** When the process has gone and all it said was read. */
  readonly ended: Promise<EndedBench>;
}

export interface EndedBench {
  /** null: ended by a signal. */
  readonly code: number | null;
  readonly events: readonly BenchEvent[];
  readonly result: JobResult | undefined;
  readonly stderr: string;
}

/** Starts `forge bench …words --json`. `onEvent` hears each event as it comes. */
export function startBench(
  words: readonly string[],
  o: {
    /** `dist/cli/main.js`. */
    readonly main: string;
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly onEvent?: (event: BenchEvent) => void;
  },
): StartedBench {
  const env = { PATH: process.env["PATH"] ?? "", HOME: o.cwd, LANG: "C.UTF-8", ...o.env };
  const child = spawn(process.execPath, [o.main, "bench", ...words, "--json"], { cwd: o.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const closed = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let stderr = "";
  child.stderr.on("data", (piece: Buffer) => (stderr += piece.toString()));
  const read = async (): Promise<EndedBench> => {
    const events: BenchEvent[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const event = parse(line);
      if (!event) continue;
      events.push(event);
      o.onEvent?.(event);
    }
    const last = events.at(-1);
    return { code: await closed, events, result: last?.type === "job.end" ? last.result : undefined, stderr: stderr.trim() };
  };
  return { pid: child.pid ?? 0, kill: (signal) => void child.kill(signal), ended: read() };
}

/** A line that a kill cut says nothing. */
function parse(line: string): BenchEvent | undefined {
  try {
    return JSON.parse(line) as BenchEvent; // the command's own
  } catch {
    return undefined;
  }
}
