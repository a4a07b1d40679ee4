import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { execa } from "execa";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import type { ToolCall } from "../../harness/contract/messages.ts";
import { middleware, type Run } from "../../harness/contract/middleware.ts";
import { loadUserMiddleware } from "../../harness/config/middleware/load-user-middleware.ts";
import { referencePages } from "../../scripts/docs/generate-middleware-docs.ts";
import { runFixture } from "../../testing.ts";
import { built } from "../e2e/forge.ts";

const page = readFileSync("docs/middleware.md", "utf8");

/** The page's files (`// name` in their first line), in a folder outside the repository. */
function filesOfThePage(): string {
  const folder = mkdtempSync(join(tmpdir(), "forge-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [, name = "", text = ""] of page.matchAll(/```(?:ts|yaml)\n(?:\/\/|#) (\S+)\n([\s\S]*?)```/g))
    writeFileSync(join(folder, name), text);
  return folder;
}

describe("docs/middleware", () => {
  it("has a reference page for each middleware that agrees with its schema (else: npx jiti scripts/docs/generate-middleware-docs.ts)", async () => {
    for (const { name, text } of await referencePages()) {
      expect(readFileSync(`docs/middleware/${name}.md`, "utf8")).toBe(text);
      expect(page).toContain(`(middleware/${name}.md)`);
    }
  });

  it("has an example that loads as it stands there, from outside the repository", async () => {
    const { definition, source } = await loadUserMiddleware("./keep-out.ts", filesOfThePage());
    expect(definition.name).toBe("keep-out");
    expect(source.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it("has a test of it that passes as it stands there, with the commands it gives, and fails when something is not so", async () => {
    const folder = filesOfThePage();
    expect(page).toContain("npm install PATH-TO-FORGE jiti");
    expect(page).toContain("npx jiti keep-out.test.ts");
    await built();
    // What `npm install` of a folder leaves: a link.
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(process.cwd(), join(folder, "node_modules", "forge-lab"), "dir");
    const jiti = join(process.cwd(), "node_modules", "jiti", "lib", "jiti-cli.mjs");
    const run = (file: string) => execa(process.execPath, [jiti, file], { cwd: folder, reject: false });
    expect(await run("keep-out.test.ts")).toMatchObject({ exitCode: 0, stderr: "" });
    const text = readFileSync(join(folder, "keep-out.test.ts"), "utf8");
    writeFileSync(join(folder, "wrong.test.ts"), text.replace("requests.length, 4", "requests.length, 5"));
    const wrong = await run("wrong.test.ts");
    expect(wrong.exitCode).toBe(1);
    expect(wrong.stderr).toContain("4 !== 5");
  }, 150_000);

  it("has a way to find a call's own place that holds for calls side by side", async () => {
    const [expression = ""] = /run\.log\.calls\.findLastIndex\(.*\) \+ 1/.exec(page) ?? [];
    expect(readFileSync("harness/contract/middleware.ts", "utf8")).toContain(expression);
    const placeOf = runInNewContext(`(run, call) => ${expression}`) as (run: Run, call: ToolCall) => number; // the page's own words
    const places: string[] = [];
    const watch = middleware("watch", "1", z.strictObject({}), () => ({
      async tool(call, next, run) {
        const reply = await next(call);
        const results = run.log.calls.filter((one) => one.result !== undefined).length;
        places.push(`${String(call.args["command"])}: ${placeOf(run, call)} of ${run.log.calls.length}, ${results} answered`);
        return reply;
      },
    }));
    const bash = (command: string) => ({ name: "bash", args: { command } });
    const script = [{ calls: [bash("a"), bash("b"), bash("c")] }, { calls: [bash("d")] }, { text: "DONE" }];
    await runFixture({ middleware: [watch.create({})], script });
    expect(places).toEqual(["a: 1 of 3, 1 answered", "b: 2 of 3, 2 answered", "c: 3 of 3, 3 answered", "d: 4 of 4, 4 answered"]);
  });
});
