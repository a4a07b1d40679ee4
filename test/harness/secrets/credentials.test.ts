import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { redactorFor } from "../../../harness/secrets/redactor-for-environment.ts";
import { forgeHere as forge } from "../../cli/forge-here.ts";
import { cleanUp, emptyFolder, get, git, jsonLines, put, type Answer } from "../../e2e/forge.ts";
import { startModelServer, type ModelServer } from "../../servers/model-server.ts";

afterAll(cleanUp);
let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const password = "pä55'w";
/** The address with a password in it, as a user writes it and as a URL has it. */
const addressOf = (at: ModelServer): string => at.url.replace("://", `://me:${password}@`);
const spellings = [password, encodeURIComponent(password), encodeURI(password)];

/** Files below a folder in which the password stands. */
function leaks(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => statSync(join(folder, path)).isFile());
  return files.filter((path) => spellings.some((spelling) => readFileSync(join(folder, path), "utf8").includes(spelling)));
}
const said = ({ stdout, stderr }: Answer): string[] => spellings.filter((spelling) => `${stdout}${stderr}`.includes(spelling));

describe("the password in a base URL", () => {
  it("reaches its server, and no trace, output or error of a run", async () => {
    server = await startModelServer({ always: () => ({ text: "done" }) });
    const folder = emptyFolder();
    git(folder, "init", "-q");
    const flags = ["--model", "openai/gpt", "--base-url", addressOf(server), "--sandbox", "local"];
    for (const json of [[], ["--json-stream"]]) {
      const answer = await forge(["run", "go", ...flags, ...json], { cwd: folder });
      expect(answer.code, answer.stderr).toBe(0);
      expect(said(answer)).toEqual([]);
    }
    expect(server.requests[0]?.headers["authorization"]).toBe(`Basic ${Buffer.from(`me:${password}`).toString("base64")}`);
    expect(leaks(folder)).toEqual([]);
    expect((await forge(["replay", ".forge/runs"], { cwd: folder })).code).toBe(0);
  });

  it("is not shown by config show, as table or JSON", async () => {
    const folder = emptyFolder({ "forge.yaml": `model: {name: openai/gpt, baseUrl: "http://me:${password}@127.0.0.1:9/v1"}` });
    for (const json of [[], ["--json"]]) {
      const answer = await forge(["config", "show", ...json], { cwd: folder, env: { COLUMNS: "300" } });
      expect(answer.code, answer.stderr).toBe(0);
      expect(answer.stdout).toContain("http://me:██████@127.0.0.1");
      expect(said(answer)).toEqual([]);
    }
  });

  it.each(["--base-url", "a file"])("given by %s stands nowhere in a bench's folder, and another one names the same job", async (by) => {
    server = await startModelServer({ always: () => ({ text: "done" }) });
    const folder = emptyFolder({ "arm.yaml": `extends: bare\nmodel: {name: openai/gpt, baseUrl: "${addressOf(server)}"}\n` });
    const given = by === "a file" ? ["--config", "arm.yaml"] : ["--model", "openai/gpt", "--base-url", addressOf(server)];
    const bench = ["bench", "demo", "--filter", "greet", "--sandbox", "local-unsafe", ...given];
    const answer = await forge([...bench, "--json"], { cwd: folder });
    expect(answer.code, answer.stderr).toBe(0);
    expect(said(answer)).toEqual([]);
    expect(leaks(join(folder, "jobs"))).toEqual([]);
    expect((await forge(["replay", "jobs"], { cwd: folder })).code).toBe(0);

    put(folder, "arm.yaml", get(folder, "arm.yaml").replace(password, "changed"));
    const changed = await forge([...bench.map((word) => word.replace(password, "changed")), "--json"], { cwd: folder });
    expect(changed.code, changed.stderr).toBe(0);
    expect(jsonLines(changed.stdout)[0]).toMatchObject({ type: "job.start", finished: 1 });
  });

  it("is not in the sentence that says its server does not answer", async () => {
    const folder = emptyFolder();
    const url = `http://me:${password}@127.0.0.1:9/v1`;
    const answer = await forge(["bench", "demo", "--model", "openai/gpt", "--base-url", url, "--sandbox", "local-unsafe"], { cwd: folder });
    expect(answer.code).toBe(3);
    expect(answer.stderr).toContain("http://127.0.0.1:9/v1 does not respond");
    expect(said(answer)).toEqual([]);
  });
});

describe("what is taken out of a trial", () => {
  it("is the password of its model's address and of the environment's, and none of the task's own URLs", () => {
    const redact = redactorFor(
      { DATABASE_URL: "postgres://me:longer-password@db" },
      { trial: { modelAt: "http://me:pw@host/v1", sandbox: "docker" } },
    );
    expect(redact("http://me:pw@host/v1 longer-password postgres://task:word@db")).toBe(
      "http://me:██@host/v1 ███████████████ postgres://task:word@db",
    );
  });

  const theirs = "ghp_TaskTaskTaskTaskTaskTaskTaskTaskTask";
  const users = "sk-ant-api03-UserUserUserUserUser";
  it.each(["OPENAI_API_KEY", "MY_SETTINGS"])(
    "in a container is each secret of the user's, as in %s, and no key of the task's own",
    (name) => {
      const redact = redactorFor({ [name]: users }, { trial: { modelAt: "", sandbox: "docker" } });
      expect(redact(`${theirs} ${users}`)).toBe(`${theirs} ${"█".repeat(users.length)}`);
    },
  );

  it.each(["bubblewrap", "local"] as const)("in %s, where this machine's files can be read, is whatever looks like a key", (sandbox) => {
    const redact = redactorFor({}, { trial: { modelAt: "", sandbox } });
    expect(redact(`found ${theirs}`)).toBe(`found ${"█".repeat(theirs.length)}`);
  });
});
