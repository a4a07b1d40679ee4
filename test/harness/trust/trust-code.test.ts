import { existsSync, statSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { trustedLoaders } from "../../../harness/trust/trust-code.ts";
import { trustStore } from "../../../harness/trust/trust-store.ts";
import type { Question, User } from "../../../harness/contract/ports.ts";
import { folderWith } from "../config/folder.ts";

/** Leaves a mark where it is imported. */
const marking = `import { writeFileSync } from "node:fs";
import { said } from "./lib/said.ts";
import "left-pad";
writeFileSync(new URL("./ran", import.meta.url), "");
export default said;
`;
const definition = `import { z } from "zod";
export default { name: "mine", version: "1", options: z.strictObject({}), create: () => ({ name: "mine", version: "1" }) };
`;

/** A person who gives these answers in turn, then none. */
function person(...answers: string[]): { user: User; asked: Question[] } {
  const asked: Question[] = [];
  return { asked, user: { ask: async (question) => (asked.push(question), answers.shift()) } };
}

async function setting(files: Record<string, string> = { "mine.ts": definition }) {
  const folder = await folderWith(files);
  const home = await folderWith({});
  const path = join(home, ".forge", "trust.json");
  const said: string[] = [];
  const load = (who: { user: User }, o: { trust?: boolean; owner?: "user" | "repository"; specifier?: string } = {}) =>
    trustedLoaders({
      store: trustStore(path),
      user: who.user,
      trust: o.trust ?? false,
      say: (text) => void said.push(text),
    }).loadUserMiddleware(o.specifier ?? "./mine.ts", folder, o.owner ?? "repository");
  return { folder, path, load, said };
}

describe("code that a repository's configuration names", () => {
  it("is asked for once, with file, hash and what it is, and loaded when it is trusted", async () => {
    const { folder, path, load } = await setting();
    const first = person("trust it");
    expect((await load(first)).definition.name).toBe("mine");
    expect(first.asked).toHaveLength(1);
    expect(first.asked[0]?.text).toContain(join(folder, "mine.ts"));
    expect(first.asked[0]?.text).toMatch(/sha256: [0-9a-f]{64}\n.*middleware/);
    expect(first.asked[0]?.choices[0]).toBe("no");
    const second = person();
    expect((await load(second)).definition.name).toBe("mine");
    expect(second.asked).toEqual([]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each([[["no"]], [[]], [["show the code", "no"]]])(
    "is not imported when the answers are %j, and the sentence says the flag",
    async (answers) => {
      const { folder, path, load, said } = await setting({ "mine.ts": marking, "lib/said.ts": "export const said = 1;" });
      await expect(load(person(...answers))).rejects.toThrow(
        expect.objectContaining({ name: "ConfigError", message: expect.stringMatching(/mine\.ts \(sha256 [0-9a-f]{16}\).*--trust/) }),
      );
      expect(existsSync(join(folder, "ran"))).toBe(false);
      expect(existsSync(path)).toBe(false);
      const shown = answers[0] === "show the code" ? [marking, "export const said = 1;"] : [];
      expect(said.map((text) => text.split("\n").slice(1).join("\n"))).toEqual(shown);
    },
  );

  it("is named with the files it imports and the packages that no hash covers", async () => {
    const { load } = await setting({ "mine.ts": marking, "lib/said.ts": "export const said = 1;" });
    const who = person("no");
    await expect(load(who)).rejects.toThrow(/not trusted/);
    expect(who.asked[0]?.text).toContain("and 1 it imports: lib/said.ts");
    expect(who.asked[0]?.text).toContain("it imports node:fs, left-pad");
  });

  it.each(["mine.ts", "lib/said.ts"])("is asked for again when %s has changed", async (changed) => {
    const { folder, load } = await setting({ "mine.ts": `import "./lib/said.ts";\n${definition}`, "lib/said.ts": "export {};" });
    await load(person("trust it"));
    await writeFile(
      join(folder, changed),
      `// another\n${changed === "mine.ts" ? `import "./lib/said.ts";\n${definition}` : "export {};"}`,
    );
    await expect(load(person())).rejects.toThrow(/not trusted/);
    await load(person("trust it"));
    await load(person());
  });

  it("that changes while the question stands is asked for again", async () => {
    const { folder, load } = await setting();
    const evil = definition.replace('name: "mine"', 'name: "evil"');
    let asked = 0;
    const user: User = {
      async ask() {
        asked += 1;
        if (asked === 1) await writeFile(join(folder, "mine.ts"), evil);
        return asked === 1 ? "trust it" : "no";
      },
    };
    await expect(load({ user })).rejects.toThrow(/not trusted/);
    expect(asked).toBe(2);
  });

  it("with --trust is recorded without a question", async () => {
    const { load } = await setting();
    const who = person();
    await load(who, { trust: true });
    await load(who);
    expect(who.asked).toEqual([]);
  });

  it("is trusted where it lies, not where a copy of it lies", async () => {
    const { folder, load } = await setting({ "mine.ts": definition, "copy.ts": definition });
    await load(person(), { trust: true });
    await rm(join(folder, "mine.ts"));
    await expect(load(person(), { specifier: "./copy.ts" })).rejects.toThrow(/not trusted/);
  });

  it("is no question where the user's own configuration names it", async () => {
    const { folder, path, load } = await setting();
    const who = person();
    expect((await load(who, { owner: "user" })).definition.name).toBe("mine");
    expect(who.asked).toEqual([]);
    expect(await readFile(path, "utf8")).toContain(join(folder, "mine.ts")); // so that a replay knows it
    await writeFile(path, "damaged");
    await load(who, { owner: "user" });
  });

  it("is kept whole when several are added at once", async () => {
    const { path } = await setting();
    const store = trustStore(path);
    const sources = Array.from({ length: 20 }, (_, i) => ({ path: `/a/${i}.ts`, hash: String(i) }));
    await Promise.all(sources.map((source) => store.add(source)));
    for (const source of sources) expect(await trustStore(path).has(source)).toBe(true);
  });

  it("is not trusted by a list that cannot be understood", async () => {
    const { path, load } = await setting();
    await load(person(), { trust: true });
    await writeFile(path, '{"v": 1, "trusted": true}');
    await expect(load(person("trust it"))).rejects.toThrow(/trust\.json is not a list of trusted code; remove the file/);
  });
});
