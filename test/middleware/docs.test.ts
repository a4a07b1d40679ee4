import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadUserMiddleware } from "../../harness/config/load-user-middleware.ts";
import { referencePages } from "../../scripts/generate-middleware-docs.ts";

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
  it("has a reference page for each middleware that agrees with its schema (else: npx jiti scripts/generate-middleware-docs.ts)", async () => {
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
  });
});
