import type { Readable } from "node:stream";
import type Docker from "dockerode";
import { followProgress, hasImage } from "./base-image.ts";
import { loadExeca } from "../../../package/load-execa.ts";
import { boundProcesses, type BuildBounds } from "./build-limits.ts";
import type { DockerPlugin } from "../daemon/docker-plugin.ts";

/** One build of a context that holds its Dockerfile. */
export interface Build {
  readonly tag: string;
  /** A tar stream. */
  readonly context: Readable;
  /** Relative to the context. */
  readonly dockerfile: string;
  readonly target: string | undefined;
  readonly args: Readonly<Record<string, string>>;
  /** Also its time limit. */
  readonly signal: AbortSignal;
  /** Hears what the builder prints, in pieces. */
  readonly listen: (text: string) => void;
  readonly bounds: BuildBounds;
}

/** By the daemon's own builder. Answers the error, or undefined. @throws what the connection throws */
export async function buildClassic(docker: Docker, o: Build): Promise<string | undefined> {
  const { bounds } = o;
  const bound = boundProcesses(docker, bounds);
  const listen = (text: string): void => {
    bound(text);
    o.listen(text);
  };
  // No labels: they would be one more step, and the numbers should be the Dockerfile's.
  const stream = await docker.buildImage(o.context, {
    t: o.tag,
    rm: true,
    forcerm: true,
    abortSignal: o.signal,
    dockerfile: o.dockerfile,
    memory: bounds.memoryBytes,
    memswap: bounds.memoryBytes, // both together: no swap
    cpushares: bounds.cpuShares,
    ...(o.target === undefined ? {} : { target: o.target }),
    ...(Object.keys(o.args).length === 0 ? {} : { buildargs: { ...o.args } }),
  });
  const error = await followProgress(stream, listen);
  if (error !== undefined && /non-zero code: 137\b/.test(error))
    return `${error.trim()}: it was killed, as is a step that takes more than ${Math.floor(bounds.memoryBytes / 1024 ** 2)} MiB of memory`;
  // The daemon answers 200 and no error where a build failed before its first step.
  return error === undefined && !(await hasImage(docker, o.tag)) ? "the daemon gave no reason" : error;
}

/**
 * By BuildKit, which the daemon has too, through the plugin that speaks to it. It is allowed nothing of the machine: no host network, no ssh agent, no secret.
 * A build can have no bounds of its own there: its builder has no option for them.
 */
export async function buildWithBuildKit(docker: Docker, { command, first, env }: DockerPlugin, o: Build): Promise<string | undefined> {
  const args = Object.entries(o.args).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]);
  const target = o.target === undefined ? [] : ["--target", o.target];
  const asked = ["build", "--builder", "default", "--progress", "plain", "--load", "--tag", o.tag, "--file", o.dockerfile];
  const { execa } = await loadExeca();
  const run = execa(command, [...first, ...asked, ...target, ...args, "-"], {
    stdin: "pipe",
    all: true,
    reject: false,
    buffer: false,
    env,
    extendEnv: false,
    cancelSignal: o.signal,
  });
  // A build that fails early reads no further.
  o.context.on("error", () => run.stdin.destroy());
  run.stdin.on("error", () => undefined);
  o.context.pipe(run.stdin);
  let last = "";
  // Whoever is slow to end holds the output open: nobody waits for that.
  o.signal.addEventListener("abort", () => run.all.destroy(), { once: true });
  for await (const line of run.iterable({ from: "all" })) {
    // "#7 0.3 output", "#7 [2/3] RUN …": the number is the step's in BuildKit's own counting.
    const text = line.replace(/^#\d+ (\d+\.\d+ )?/, "").trim();
    if (text.startsWith("ERROR: ")) last = text.slice("ERROR: ".length);
    o.listen(`${text.replace(/^\[(.*)\]/, "Step [$1] :")}\n`);
  }
  const { failed, shortMessage } = await run;
  o.signal.throwIfAborted();
  if (failed) return last === "" ? (shortMessage ?? "buildx gave no reason") : last;
  return (await hasImage(docker, o.tag)) ? undefined : "buildx gave no image to the daemon";
}
