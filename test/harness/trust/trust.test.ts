import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { forgeHere as forge } from "../../cli/forge-here.ts";
import { built, cleanUp, emptyFolder, forge as started, get, git, jsonLines, put, type Answer } from "../../e2e/forge.ts";
import { startModelServer, type ModelServer } from "../../servers/model-server.ts";

beforeAll(built);
afterAll(cleanUp);

const code = `import { writeFileSync } from "node:fs";
import { z } from "zod";
writeFileSync(new URL("./ran", import.meta.url), "");
export default { name: "theirs", version: "1", options: z.strictObject({}), create: () => ({ name: "theirs", version: "1" }) };
`;
let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** A repository whose own configuration names code and an address, and a home of the test's own. */
async function cloned(config: (url: string) => Record<string, string>) {
  server = await startModelServer({ always: () => ({ text: "done" }) });
  const folder = emptyFolder({ "tools/theirs.ts": code, ...config(server.url) });
  git(folder, "init", "-q");
  const home = emptyFolder();
  const env = { HOME: home, OPENAI_API_KEY: "key-of-the-user" };
  return {
    folder,
    home,
    ran: () => existsSync(join(folder, "tools/ran")),
    call: (...args: string[]): Promise<Answer> => forge(args, { cwd: folder, env }),
    run: (...args: string[]): Promise<Answer> => forge(["run", "go", "--sandbox", "local", ...args], { cwd: folder, env }),
  };
}
const files = {
  "forge.yaml": (url: string) => ({ "forge.yaml": `model: {name: openai/gpt, baseUrl: "${url}"}\nmiddleware: [./tools/theirs.ts]\n` }),
  ".forge/config.yaml": (url: string) => ({
    "forge.yaml": `model: {name: openai/gpt, baseUrl: "${url}"}\n`,
    ".forge/config.yaml": "middleware:\n  - ../tools/theirs.ts\n",
  }),
  "a file that .forge/settings.local.yaml extends": (url: string) => ({
    ".forge/settings.local.yaml": `extends: ../deep/base.yaml\nmodel: {name: openai/gpt, baseUrl: "${url}"}\n`,
    "deep/base.yaml": "middleware: [../tools/theirs.ts]\n",
  }),
};

describe("code that a repository's own configuration names", () => {
  it.each(Object.entries(files))(
    "is refused with exit code 2 and the flag's name where nobody can answer, from %s, and runs with --trust until it changes",
    async (_, config) => {
      const { folder, home, ran, run } = await cloned(config);
      const refused = await run();
      expect(refused.code, refused.stderr).toBe(2);
      expect(refused.stderr.split("\n").filter((line) => line !== "")).toHaveLength(1);
      expect(refused.stderr).toMatch(/^error: middleware\[0\]: .*theirs\.ts \(sha256 [0-9a-f]{16}\) .*run with --trust.*\.yaml:\d+\)\.?$/m);
      expect(ran()).toBe(false);
      expect(server?.requests).toEqual([]);
      expect(existsSync(join(folder, ".forge/runs"))).toBe(false);

      const trusted = await run("--trust", "--json");
      expect(trusted.code, trusted.stderr).toBe(0);
      expect(ran()).toBe(true);
      expect(get(home, ".forge/trust.json")).toContain("tools/theirs.ts");
      expect((await run()).code).toBe(0);

      rmSync(join(folder, "tools/ran"));
      put(folder, "tools/theirs.ts", `${code}// another\n`);
      expect((await run()).code).toBe(2);
      expect(ran()).toBe(false);
    },
    120_000,
  );

  it("is shown as not trusted by config show, which runs none of it", async () => {
    const { folder, ran, call, run } = await cloned(files["forge.yaml"]);
    const table = await call("config", "show");
    expect(table.code, table.stderr).toBe(0);
    expect(table.stdout).toContain("not trusted");
    expect(table.stdout).toContain("harness hash unknown");
    const [shown] = jsonLines((await call("config", "show", "--json")).stdout);
    const values = shown?.["values"] as { key: string; value: string }[]; // what config show documents
    const row = values.find(({ key }) => key === "middleware../tools/theirs.ts");
    expect(row?.value).toMatch(/^not trusted: .*tools\/theirs\.ts \(sha256 [0-9a-f]{16}\)$/);
    expect(row?.value).toContain(folder);
    expect(shown?.["hash"]).toBeNull();
    expect(ran()).toBe(false);

    await run("--trust");
    const [known] = jsonLines((await call("config", "show", "--json")).stdout);
    expect(known?.["hash"]).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(known)).not.toContain("not trusted");
  }, 120_000);

  it("is not looked at by a bench, which reads what it is given alone", async () => {
    const { ran, call } = await cloned(files["forge.yaml"]);
    const answer = await call("bench", "demo", "--filter", "greet", "--sandbox", "local", "--out", "job");
    expect(answer.code, answer.stderr).toBe(0);
    expect(ran()).toBe(false);
  });

  it("is the user's own where he gives the file by name, to a run and to a bench", async () => {
    const { folder, ran, call, run } = await cloned(files["forge.yaml"]);
    expect((await run("--config", "forge.yaml")).code).toBe(0);
    expect(ran()).toBe(true);
    rmSync(join(folder, "tools/ran"));
    const bench = [
      "bench",
      "demo",
      "--filter",
      "greet",
      "--sandbox",
      "local",
      "--config",
      "forge.yaml",
      "--model",
      "sim/default",
      "--out",
      "job",
    ];
    const answer = await call(...bench);
    expect(answer.code, answer.stderr).toBe(0);
    expect(ran()).toBe(true);
  });
});

describe("code that a trace names", () => {
  it("runs again for who ran it, and for nobody else before he trusts it, even where a file fits its hash", async () => {
    const { folder, ran, call, run } = await cloned(files["forge.yaml"]);
    expect((await run("--config", "forge.yaml")).code).toBe(0);
    expect((await call("replay", ".forge/runs")).code).toBe(0);

    rmSync(join(folder, "tools/ran"));
    const stranger = { cwd: folder, env: { HOME: emptyFolder() } };
    // A process trusts what it has run: the stranger has one of his own.
    const refused = await started(["replay", ".forge/runs"], stranger);
    expect(refused.code).toBe(3);
    expect(refused.stdout.replaceAll(/\n +/g, " ")).toMatch(/theirs\.ts \(sha256 [0-9a-f]{16}\).*use --trust/);
    expect((await forge(["traces", "verify", ".forge/runs"], stranger)).code).toBe(0);
    expect(ran()).toBe(false);
    expect((await started(["replay", ".forge/runs", "--trust"], stranger)).code).toBe(0);
  }, 120_000);
});

describe("a key", () => {
  const authorization = (): unknown[] => (server?.requests ?? []).map(({ headers }) => headers["authorization"]);

  it.each([
    ["forge.yaml", (url: string) => ({ "forge.yaml": `model: {name: openai/gpt, baseUrl: "${url}"}` })],
    [
      "a file that it extends",
      (url: string) => ({ "forge.yaml": "extends: ./base.yaml", "base.yaml": `model: {name: openai/gpt, baseUrl: "${url}"}` }),
    ],
  ])(
    "is not sent to the address that %s of a repository names, and is to the one the user gives",
    async (_, config) => {
      const { run } = await cloned(config);
      const answer = await run();
      expect(answer.code, answer.stderr).toBe(0);
      expect(answer.stderr).toContain("no key is sent there. Give --base-url to send one.");
      expect(authorization()).toEqual(["Bearer none"]);
      expect((await run("--base-url", server?.url ?? "")).code).toBe(0);
      expect(authorization()).toEqual(["Bearer none", "Bearer key-of-the-user"]);
    },
    120_000,
  );
});
