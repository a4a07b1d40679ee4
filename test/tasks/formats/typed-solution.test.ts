import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { typedSolution } from "../../../tasks/formats/terminal-bench/typed-solution.ts";
import type { TerminalCommand } from "../../../tasks/task.ts";
import { needs } from "../../needs.ts";

const typing = (command: string, how: Partial<TerminalCommand> = {}): TerminalCommand => ({
  command,
  minTimeoutMs: 0,
  maxTimeoutMs: 20_000,
  block: false,
  appendEnter: true,
  ...how,
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "forge-typed-"));
});
afterEach(async () => {
  tmux("kill-server");
  await rm(folder, { recursive: true, maxRetries: 5, retryDelay: 100 }); // what ran in the terminal may still write its history
});

/** A server of its own: nothing of this machine's is in it, and what is typed meets a shell without anybody's profile. */
const env = () => ({ PATH: process.env["PATH"], HOME: folder, SHELL: "/bin/bash", TERM: "xterm", TMUX_TMPDIR: folder, LANG: "C.UTF-8" });
const tmux = (...words: string[]): string => spawnSync("tmux", words, { env: env(), encoding: "utf8" }).stdout;
function carryOut(...commands: TerminalCommand[]): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync("bash", { input: typedSolution(commands), cwd: folder, env: env(), encoding: "utf8" });
  return { status, stderr };
}
const fileOf = (name: string): Promise<string> => readFile(join(folder, name), "utf8");

describe.skipIf(needs("tmux"))("a solution typed into a terminal", () => {
  it("waits for a command with block until it has ended, and for others as long as it says", async () => {
    const { status } = carryOut(
      typing("sleep 0.4; echo first > said.txt", { block: true, minTimeoutMs: 60_000 }),
      typing("cat said.txt > seen.txt; read answer; echo $answer >> seen.txt", { minTimeoutMs: 500 }),
      typing('it\'s "$HOME"; typed\\'),
      typing("", { block: false, minTimeoutMs: 200 }),
      typing("echo end >> seen.txt\n", { block: true, appendEnter: false }),
    );
    expect(status).toBe(0);
    // `read` takes the backslash and the next line with it.
    expect(await fileOf("seen.txt")).toBe('first\nit\'s "$HOME"; typed\nend\n');
  });

  it.skipIf(needs("python3"))("speaks to a program that wants a terminal, key by key", async () => {
    const { status } = carryOut(
      typing("python3 -q", { minTimeoutMs: 1500 }),
      typing("import sys; keep = sys.stdin.isatty()", { minTimeoutMs: 200 }),
      typing("open('tty.txt', 'w').write(str(keep))", { minTimeoutMs: 200 }),
      typing("C-d", { appendEnter: false, minTimeoutMs: 500 }),
      typing("true", { block: true }), // the shell has the terminal again
      typing("sleep 600", { minTimeoutMs: 1500 }),
      typing("C-c", { appendEnter: false, minTimeoutMs: 300 }),
      typing("echo $? > code.txt", { block: true }),
    );
    expect([status, await fileOf("tty.txt"), await fileOf("code.txt")]).toEqual([0, "True", "130\n"]);
  });

  it("ends where a command takes longer than it may, with what stands in the terminal, and leaves what it typed running", async () => {
    const { status, stderr } = carryOut(
      typing("echo one-$((1 + 1)); sleep 600", { block: true, maxTimeoutMs: 3000 }),
      typing("echo never > never.txt"),
    );
    expect(status).toBe(1);
    expect(stderr).toContain("What was typed last had not ended after 3 s; the terminal then:\n");
    expect(stderr).toContain("\none-2\n");
    expect(tmux("list-panes", "-a", "-F", "#{pane_current_command}")).toBe("sleep\n");
    await expect(fileOf("never.txt")).rejects.toThrow("ENOENT");
  });
});

it("says what is missing where the image has no tmux", () => {
  const { status, stderr } = spawnSync("/bin/bash", { input: typedSolution([typing("true")]), env: { PATH: folder }, encoding: "utf8" });
  expect([status, stderr]).toEqual([
    1,
    "This solution is typed into a terminal, and the image has no tmux to do so; install tmux in it, as the format's own runner asks for too.\n",
  ]);
});
