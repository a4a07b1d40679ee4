import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createJiti } from "jiti";
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

  it("has a test of it that passes as it stands there", async () => {
    const folder = filesOfThePage();
    const alias = { "forge-lab/testing": join(process.cwd(), "testing.ts"), "forge-lab": join(process.cwd(), "index.ts") };
    const jiti = createJiti(join(folder, "x.ts"), { alias, moduleCache: false, fsCache: false });
    await expect(jiti.import("./keep-out.test.ts")).resolves.toBeDefined();
  });
});
