import type { ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../needs.ts";
import { built, cleanUp, emptyFolder, forge, git, listing, put, type Answer } from "./forge.ts";

beforeAll(built, 180_000);
afterAll(cleanUp);

/** A task whose solution takes an hour. */
const endless = {
  "task.toml":
    'version = "1.0"\n[metadata]\ndifficulty = "easy"\n[metadata.forge]\nfamily = "e2e"\nsplit = "train"\nlocal = true\n[agent]\ntimeout_sec = 3600.0\n[environment]\nallow_internet = false\n',
  "instruction.md": "Write done to out.txt.\n",
  "environment/Dockerfile": "FROM forge-base/debian:bookworm\nWORKDIR /app\n",
  "solution/solve.sh": "sleep 3600; echo done > out.txt\n",
  "tests/test.sh": "echo 0 > ${FORGE_LOGS:-/logs}/verifier/reward.txt\n",
};

/** Every process that has the folder in its command line. */
const processesAt = async (folder: string): Promise<string[]> => {
  const { execa } = await import("execa");
  const { stdout } = await execa("ps", ["-eo", "args", "ww"]);
  return stdout.split("\n").filter((line) => line.includes(folder));
};

/** Carries out a command with a folder for temporary files, and sends it a signal once a file of this kind is there. */
async function interrupted(
  args: readonly string[],
  o: { readonly cwd: string; readonly temporary: string; readonly once: RegExp; readonly signal: NodeJS.Signals },
): Promise<Answer> {
  let acted: Promise<void> = Promise.resolve();
  const send = async (child: ChildProcess): Promise<void> => {
    const begun = (): boolean => [o.cwd, o.temporary].some((folder) => filesOf(folder).some((path) => o.once.test(path)));
    while (child.exitCode === null && !begun()) await wait(50);
    child.kill(o.signal);
  };
  const answer = await forge(args, { cwd: o.cwd, env: { TMPDIR: o.temporary }, started: (child) => void (acted = send(child)) });
  await acted;
  return answer;
}

/** A folder that is being filled or removed is read again. */
function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    return [];
  }
}

describe.each(["SIGINT", "SIGTERM"] as const)("%s", (signal) => {
  it("ends forge task generate, which has then written nothing", async () => {
    const [cwd, temporary] = [emptyFolder(), emptyFolder()];
    const args = ["task", "generate", "--family", "all", "--seeds", "1..5000", "--out", "fresh"];
    const { code, stdout, stderr } = await interrupted(args, { cwd, temporary, signal, once: /task\.toml$/ });
    expect([code, stdout, stderr]).toEqual([130, "", "Interrupted; nothing was written.\n"]);
    expect([...listing(cwd), ...listing(temporary)]).toEqual([]);
  });
});

describe.skipIf(needs("bubblewrap") || needs("git"))("Ctrl-C", { timeout: 120_000 }, () => {
  it.each([["--full"], ["--jobs", "1"]])(
    "ends forge task check %s at once, with its sandboxes, and says how far it had come",
    async (...more) => {
      const files = ["one", "two", "three"].flatMap((name) =>
        Object.entries(endless).map(([path, text]) => [`tasks/${name}/${path}`, text]),
      );
      const [cwd, temporary] = [emptyFolder(Object.fromEntries(files) as Record<string, string>), emptyFolder()];
      const before = listing(cwd);
      const args = ["task", "check", "tasks", "--sandbox", "bubblewrap", ...more];
      const { code, stdout, stderr } = await interrupted(args, { cwd, temporary, signal: "SIGINT", once: /trace\.jsonl$/ });
      expect([code, stdout, stderr]).toEqual([130, "", "Interrupted; 0 of 3 tasks checked.\n"]);
      expect([listing(cwd), listing(temporary)]).toEqual([before, []]);
      expect(await processesAt(temporary)).toEqual([]);
    },
  );

  it("ends forge task check --attack", async () => {
    const files = Object.entries(endless).map(([path, text]) => [`tasks/one/${path}`, text]);
    const [cwd, temporary] = [emptyFolder(Object.fromEntries(files) as Record<string, string>), emptyFolder()];
    const args = ["task", "check", "tasks", "--attack", "--sandbox", "bubblewrap"];
    const { code, stdout, stderr } = await interrupted(args, { cwd, temporary, signal: "SIGTERM", once: /trace\.jsonl$/ });
    expect([code, stdout, stderr]).toEqual([130, "", "Interrupted; 0 of 1 task attacked.\n"]);
    expect(listing(temporary)).toEqual([]);
  });

  it("ends forge task from-git while it tries the task, which is not kept", async () => {
    const [cwd, temporary] = [emptyFolder(), emptyFolder()];
    git(cwd, "init", "-q");
    for (const word of ["one", "two"]) {
      put(cwd, "it.txt", word);
      put(cwd, "tests/it.test.sh", `grep ${word} it.txt\n`);
      git(cwd, "add", "-A");
      git(cwd, "commit", "-q", "-m", `Say ${word}`);
    }
    const before = listing(cwd);
    const args = ["task", "from-git", ".", "HEAD", "--out", "made/it", "--check", "sleep 3600 {tests}", "--sandbox", "bubblewrap"];
    const { code, stdout, stderr } = await interrupted(args, { cwd, temporary, signal: "SIGINT", once: /trace\.jsonl$/ });
    expect([code, stdout, stderr]).toEqual([130, "", "Interrupted; nothing was written.\n"]);
    expect([listing(cwd), listing(temporary)]).toEqual([before, []]);
    expect(await processesAt(temporary)).toEqual([]);
  });
});
