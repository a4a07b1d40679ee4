import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { needs } from "../needs.ts";
import { harborTask } from "../tasks/write-task.ts";
import { startModelServer } from "../servers/model-server.ts";
import { forgeHere as forge } from "../cli/forge-here.ts";
import { cleanUp, emptyFolder, get, git, jsonLines, put } from "./forge.ts";

afterAll(cleanUp);

const script = { "slug.sh": `echo "$1" | tr A-Z a-z\n`, "README.md": "Makes slugs.\n" };
const mended = `echo "$1" | tr 'A-Z ' 'a-z-'\n`;
const test = `[ "$(sh slug.sh 'A b')" = a-b ]\n`;

/** A repository whose second commit mends a script together with its test, and whose third only writes. */
function repository(): string {
  const folder = emptyFolder();
  git(folder, "init", "-q");
  const commit = (files: Readonly<Record<string, string>>, message: string): void => {
    for (const [path, text] of Object.entries(files)) put(folder, path, text);
    git(folder, "add", "-A");
    git(folder, "commit", "-q", "-m", message);
  };
  commit({ ...script, "tests/slug.test.sh": `[ "$(sh slug.sh Ab)" = ab ]\n` }, "Make slugs");
  commit(
    { "slug.sh": mended, "tests/slug.test.sh": test, "README.md": "Makes slugs without blanks.\n" },
    "Put dashes for blanks (#12)\n\nA slug with a blank breaks addresses.\n\nSigned-off-by: Ada <ada@example.org>",
  );
  commit({ "README.md": "Makes slugs, with dashes for blanks.\n" }, "Say it better");
  return folder;
}

describe.skipIf(needs("bubblewrap") || needs("git") || needs("python3"))("forge task from-git", () => {
  const check = ["--check", "sh {tests}", "--sandbox", "bubblewrap"];

  it("makes a task of a commit that its own change solves and nothing else", { timeout: 180_000 }, async () => {
    const folder = repository();
    const made = await forge(["task", "from-git", ".", "HEAD~1", "--out", "dashes", ...check, "--json"], { cwd: folder });
    expect(made.code, made.stderr).toBe(0);
    expect(jsonLines(made.stdout)).toEqual([
      expect.objectContaining({ task: "dashes", checked: "bubblewrap", tests: ["tests/slug.test.sh"], sources: ["README.md", "slug.sh"] }),
    ]);
    const instruction = get(folder, "dashes/instruction.md");
    expect(instruction).toContain("Put dashes for blanks\n\nA slug with a blank breaks addresses.\n");
    expect(instruction).not.toMatch(/#12|Signed-off/);
    expect(get(folder, "dashes/environment/app/slug.sh")).toBe(script["slug.sh"]); // as it was before
    expect(get(folder, "dashes/environment/app/tests/slug.test.sh")).not.toBe(test); // the new test is hidden
    expect(get(folder, "dashes/tests/files/tests/slug.test.sh")).toBe(test);
  });

  it.each([
    ["a commit without tests", "HEAD", 2, "changes no test"],
    ["the first commit", "HEAD~2", 2, "there is no state before it"],
    ["a commit that is not there", "nowhere", 2, 'there is no commit "nowhere"'],
  ])("refuses %s in one sentence and writes nothing", async (_, revision, code, words) => {
    const folder = repository();
    const refused = await forge(["task", "from-git", ".", revision, "--out", "made/it", ...check], { cwd: folder });
    expect(refused.code).toBe(code);
    expect(refused.stderr.trim().split("\n")).toHaveLength(1);
    expect(refused.stderr).toContain(words);
    expect(existsSync(join(folder, "made"))).toBe(false);
  });

  it("says of a folder that is not there that it is not, without a word of the network", async () => {
    const refused = await forge(["task", "from-git", "../none", "HEAD", "--out", "made", ...check], { cwd: emptyFolder() });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("../none: there is no such folder.") });
    expect(refused.stderr).not.toContain("network");
  });

  it("names the program that a check wants and the sandbox has not, and the cure", { timeout: 120_000 }, async () => {
    const folder = repository();
    for (const [wants, program] of [
      ["no-such-runner {tests}", "no-such-runner"],
      ["python3 -S -I -m pytest {tests}", "pytest"], // without what is installed beside python3
    ] as const) {
      const asked = ["task", "from-git", ".", "HEAD~1", "--out", "made/it", "--check", wants, "--sandbox", "bubblewrap"];
      const refused = await forge(asked, { cwd: folder });
      expect(refused.code).toBe(3);
      expect(refused.stderr).toContain(`bubblewrap has the programs of this machine, and finds no ${program}, which its check runs.`);
      expect(refused.stderr).toContain("--sandbox docker");
      expect(existsSync(join(folder, "made"))).toBe(false);
    }
  });

  it("keeps no task that fails its own gate", { timeout: 120_000 }, async () => {
    const folder = repository();
    const asked = ["task", "from-git", ".", "HEAD~1", "--out", "made/it", "--check", "true", "--sandbox", "bubblewrap"];
    const refused = await forge(asked, { cwd: folder });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("doing nothing fails");
    expect(existsSync(join(folder, "made"))).toBe(false);
    expect((await forge([...asked, "--untried"], { cwd: folder })).code).toBe(0);
    expect(await forge(asked, { cwd: folder })).toMatchObject({ code: 2, stderr: expect.stringContaining("not empty") });
  });
});

describe.skipIf(needs("bubblewrap") || needs("git") || needs("python3"))("forge task from-run", () => {
  const check = `[ "$(sh slug.sh 'A b')" = a-b ]`;

  /** Runs `forge run` in a new folder with these files; the model carries out one command. Answers the folder and the run's. */
  async function everydayRun(files: Readonly<Record<string, string>>, command: string) {
    const folder = emptyFolder();
    for (const [path, text] of Object.entries(files)) put(folder, path, text);
    const server = await startModelServer({
      replies: [{ calls: [{ name: "bash", args: { command } }] }],
      always: () => ({ text: "Done." }),
    });
    try {
      const model = ["--model", "openai/gpt-test", "--base-url", server.url, "--sandbox", "local", "--yes", "--json"];
      const ran = await forge(["run", "put dashes for blanks", ...model], { cwd: folder });
      expect(ran.code, ran.stderr).toBe(0);
    } finally {
      await server.close();
    }
    const [id = ""] = readdirSync(join(folder, ".forge", "runs"));
    return { folder, run: join(folder, ".forge", "runs", id) };
  }
  const mends = `cat > slug.sh <<'END'\n${mended}END`;

  it("makes a task of an everyday run, with what it did as solution while the folder is as it left it", { timeout: 240_000 }, async () => {
    const { folder, run } = await everydayRun(script, mends);
    const elsewhere = emptyFolder();
    const from = ["task", "from-run", run, "--check", check, "--sandbox", "bubblewrap", "--json"];

    const made = await forge([...from, "--out", "dashes"], { cwd: elsewhere });
    expect(made.code, made.stderr).toBe(0);
    expect(jsonLines(made.stdout)[0]).toMatchObject({ task: "dashes", checked: "bubblewrap", tests: [], solution: "what the run changed" });
    expect(get(elsewhere, "dashes/instruction.md")).toBe(
      `put dashes for blanks\n\nWhen it is done, this command ends well: \`${check}\`.\n`,
    );
    expect(get(elsewhere, "dashes/environment/app/slug.sh")).toBe(script["slug.sh"]);
    expect(existsSync(join(elsewhere, "dashes/environment/app/.forge"))).toBe(false);

    put(folder, "slug.sh", "exit 1\n");
    const later = await forge([...from, "--out", "later"], { cwd: elsewhere });
    expect(later.code, later.stderr).toBe(0);
    expect(jsonLines(later.stdout)[0]).toMatchObject({ solution: null, why: expect.stringContaining("has changed since the run ended") });
    const content = await forge([...from.with(4, "true"), "--out", "content"], { cwd: elsewhere });
    expect(content).toMatchObject({ code: 1, stderr: expect.stringContaining("doing nothing fails") });
    const told = await forge([...from.slice(0, -1), "--untried", "--out", "told"], { cwd: elsewhere });
    expect(told.stdout).toContain("No test file was found by its name: the check reads the folder as the agent leaves it.");
    expect(readdirSync(elsewhere).toSorted()).toEqual(["dashes", "later", "told"]);
  });

  it("puts the tests of the folder back before the check, so that emptying them is no way to pass", { timeout: 240_000 }, async () => {
    const { run } = await everydayRun({ ...script, "tests/slug.test.sh": test, "check.sh": ". tests/slug.test.sh\n" }, mends);
    const elsewhere = emptyFolder();
    const from = ["task", "from-run", run, "--check", "sh tests/slug.test.sh", "--sandbox", "bubblewrap"];
    const made = await forge([...from, "--out", "dashes", "--json"], { cwd: elsewhere });
    expect(made.code, made.stderr).toBe(0);
    expect(jsonLines(made.stdout)[0]).toMatchObject({ checked: "bubblewrap", tests: ["tests/slug.test.sh"], changed: [] });
    expect(get(elsewhere, "dashes/tests/given/tests/slug.test.sh")).toBe(test);
    expect(get(elsewhere, "dashes/instruction.md")).toContain("the test files are put back as they are now");
    expect(get(elsewhere, "dashes/solution/wrong/empties-the-tests.sh")).toContain("tests/slug.test.sh");

    // It is the copy that holds: without it the emptied tests pass.
    rmSync(join(elsewhere, "dashes", "tests", "given"), { recursive: true });
    const bare = await forge(["task", "check", "dashes", "--sandbox", "bubblewrap", "--json"], { cwd: elsewhere });
    const [{ lines } = { lines: [] }] = jsonLines(bare.stdout) as { lines: { check: string; ok: boolean }[] }[];
    expect(lines.filter(({ ok }) => !ok).map((line) => line.check)).toEqual(["wrong solution empties-the-tests fails"]);

    const named = await forge([...from, "--tests", "*.sh", "--untried", "--out", "named"], { cwd: elsewhere });
    expect(named.stdout).toContain("2 test files (check.sh, tests/slug.test.sh) are put back");
    expect(named.stdout).toContain("gets slug.sh as the solution leaves it, which the agent does not see");
    const none = await forge([...from, "--tests", "spec/*", "--out", "none"], { cwd: elsewhere });
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('--tests "spec/*" fits no file') });
    put(elsewhere, "strange.patch", "diff --git a/none b/none\n--- a/none\n+++ b/none\n@@ -1 +1 @@\n-one\n+two\n");
    const strange = await forge([...from, "--solution", "strange.patch", "--out", "none"], { cwd: elsewhere });
    expect(strange).toMatchObject({ code: 2, stderr: expect.stringContaining("strange.patch does not apply") });
  });

  it("verifies by the tests as the solution leaves them, and says so", { timeout: 180_000 }, async () => {
    const old = `[ "$(sh slug.sh 'A b')" = 'a b' ]\n`;
    const { run } = await everydayRun({ ...script, "tests/slug.test.sh": old }, `${mends}\ncat > tests/slug.test.sh <<'END'\n${test}END`);
    const elsewhere = emptyFolder();
    const from = ["task", "from-run", run, "--check", "sh tests/slug.test.sh", "--sandbox", "bubblewrap"];
    const made = await forge([...from, "--out", "made"], { cwd: elsewhere });
    expect(made.code, made.stderr).toBe(0);
    expect(made.stdout).toContain("The check gets tests/slug.test.sh as the solution leaves it, which the agent does not see");
    expect(get(elsewhere, "made/environment/app/tests/slug.test.sh")).toBe(old);
    expect(get(elsewhere, "made/tests/files/tests/slug.test.sh")).toBe(test);
    const refused = await forge([...from, "--tests", "", "--out", "none"], { cwd: elsewhere });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("doing nothing fails") });
  });
});

describe("forge task init, show, list and stats", () => {
  it.skipIf(needs("bubblewrap") || needs("python3"))("writes a task that passes the gate at once", { timeout: 240_000 }, async () => {
    const folder = emptyFolder();
    expect(await forge(["task", "init", "mine/first"], { cwd: folder })).toMatchObject({ code: 0 });
    const checked = await forge(["task", "check", "mine", "--full", "--repeats", "1", "--sandbox", "bubblewrap", "--json"], {
      cwd: folder,
    });
    expect(jsonLines(checked.stdout)[0], checked.stdout).toMatchObject({ task: "first", ok: true });
    const refused = await forge(["task", "init", "mine/first"], { cwd: folder });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("not empty") });
    expect(await forge(["task", "init", "mine/Not So"], { cwd: folder })).toMatchObject({ code: 2 });
    expect(readdirSync(join(folder, "mine"))).toEqual(["first"]);
    const shown = jsonLines((await forge(["task", "show", "mine/first", "--json"], { cwd: folder })).stdout)[0];
    expect(shown).toMatchObject({ task: "first", mode: "hardened", wrong: ["answers-the-example", "says-nothing-for-an-empty-file"] });
    const listed = JSON.parse((await forge(["task", "list", "mine", "--json"], { cwd: folder })).stdout);
    expect(listed).toEqual([expect.objectContaining({ suite: "mine", task: "first", family: "my-tasks", wrong: 2 })]);
  });

  it("shows what each phase of a task may reach", async () => {
    const list = 'network_mode = "allowlist"\nallowed_hosts = ["one.example", "*.two.example"]\n';
    const folder = await harborTask(join(emptyFolder(), "net"), {
      "task.toml": `[environment]\n${list}[verifier]\nnetwork_mode = "no-network"\n`,
    });
    const { stdout } = await forge(["task", "show", folder], { cwd: folder });
    expect(stdout.replaceAll(/\n +/g, " ")).toContain(
      "no memory limit, network limited to one.example *.two.example, verifier no-network\n",
    );
  });

  it("counts past trials by task and arm", { timeout: 120_000 }, async () => {
    const folder = emptyFolder();
    const bench = ["bench", "demo", "--filter", "gr*", "--sandbox", "local"];
    for (const agent of ["oracle", "nop"]) await forge([...bench, "--agent", agent, "--out", `jobs/${agent}`], { cwd: folder });
    const stats = await forge(["task", "stats", "oracle", "jobs/nop", "--json"], { cwd: folder });
    expect(JSON.parse(stats.stdout || stats.stderr)).toEqual([
      expect.objectContaining({
        task: "greet",
        scored: 2,
        passed: 1,
        rate: 0.5,
        information: 1,
        spread: 1,
        discrimination: null,
        chance: 1,
        verdict: "unclear",
      }),
    ]);
    expect((await forge(["task", "stats", "oracle", "nop", "--by-arm"], { cwd: folder })).stdout).toContain(
      "arms differ, perhaps by chance (p = 1)",
    );
    expect(await forge(["task", "stats", "none"], { cwd: folder })).toMatchObject({ code: 3 });
  });
});
