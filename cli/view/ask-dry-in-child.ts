import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { CannotError } from "../../harness/errors.ts";
import type { AskDry } from "../../reports/viewer/blast-asker.ts";

/**
 * `forge replay dry` in a process of its own: a middleware file that was edited since is read again, and what it does to a process it does not do to the
 * viewer. Files that are not trusted are refused there as everywhere.
 */
export const askDryInChild: AskDry = async (config, folders, { onRun, signal }) => {
  const args = [...process.execArgv, process.argv[1] ?? "", "replay", "dry", "--json", "--config", config, "--", ...folders];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, NO_COLOR: "1" } });
  const stop = (): void => void child.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  try {
    const said: Buffer[] = [];
    child.stderr.on("data", (data: Buffer) => void (said.length < 64 && said.push(data)));
    const ended = new Promise<void>((settle, fail) => child.once("close", () => settle()).once("error", fail));
    let summary: Summary | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      const found = JSON.parse(line) as { readonly type: string }; // of our own command
      if (found.type === "run") onRun();
      if (found.type === "summary") summary = found as Summary & typeof found; // the shape of `forge replay dry --json`
    }
    await ended;
    signal.throwIfAborted();
    if (!summary) throw new CannotError(lastLine(Buffer.concat(said).toString("utf8")) ?? "forge replay dry ended without a result.");
    const { runs, requests, triggers, telling, leftOut } = summary;
    return { result: { runs, requests, triggers, telling }, leftOut };
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
};

type Answer = Awaited<ReturnType<AskDry>>;
type Summary = Answer["result"] & Pick<Answer, "leftOut">;

/** What the command said last is why it ended. */
const lastLine = (text: string): string | undefined =>
  text
    .split("\n")
    .map((line) => line.trim())
    .findLast((line) => line !== "");
