import { join } from "node:path";
import { vi } from "vitest";
import type * as Program from "../../cli/program.ts";
import type * as LostOutput from "../../cli/shared/lost-output.ts";
import { built, emptyFolder, type Answer } from "../e2e/forge.ts";

let last: Promise<unknown> = Promise.resolve();
let ownHome: string | undefined;

/** Compiled: vitest would evaluate a thousand modules for each file of tests, which costs more than a process. */
const compiled = async <T>(path: string): Promise<T> =>
  (await import(/* @vite-ignore */ join(import.meta.dirname, "../../dist", path))) as T; // the file's own exports
const ready = async () => {
  await built();
  const { runProgram } = await compiled<typeof Program>("cli/program.js");
  const { endQuietly } = await compiled<typeof LostOutput>("cli/shared/lost-output.js");
  return { runProgram, endQuietly };
};
let loading: ReturnType<typeof ready> | undefined;

/** As `forge` of test/e2e, in the test's own process and one after another: where arguments, files, output and exit code are the matter. */
export function forgeHere(args: readonly string[], o: { readonly cwd: string; readonly env?: Record<string, string> }): Promise<Answer> {
  const answer = last.then(() => carryOut(args, o));
  last = answer.catch(() => undefined);
  return answer;
}

async function carryOut(args: readonly string[], o: { readonly cwd: string; readonly env?: Record<string, string> }): Promise<Answer> {
  const { runProgram, endQuietly } = await (loading ??= ready());
  const before = { env: { ...process.env }, cwd: process.cwd(), exitCode: process.exitCode };
  const { PATH = "", TMPDIR = "", DOCKER_HOST } = before.env;
  const said = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((piece, ...more: unknown[]) => {
      said[name] += typeof piece === "string" ? piece : new TextDecoder().decode(piece);
      const written = more.find((one) => typeof one === "function");
      written?.();
      return true;
    }),
  );
  ownHome ??= emptyFolder();
  setEnvironment({ PATH, TMPDIR, ...(DOCKER_HOST && { DOCKER_HOST }), HOME: ownHome, NO_COLOR: "1", LANG: "C.UTF-8", ...o.env });
  process.chdir(o.cwd);
  process.exitCode = undefined;
  try {
    await runProgram(args);
    return { code: Number(process.exitCode ?? 0), ...said };
  } finally {
    process.stdout.off("error", endQuietly);
    for (const spy of spies) spy.mockRestore();
    process.chdir(before.cwd);
    process.exitCode = before.exitCode;
    setEnvironment(before.env);
  }
}

function setEnvironment(env: Readonly<NodeJS.ProcessEnv>): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}
