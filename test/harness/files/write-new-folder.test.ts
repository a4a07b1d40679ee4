import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { CannotError, ConfigError } from "../../../harness/errors.ts";
import { writeNewFolder } from "../../../harness/files/write-new-folder.ts";

const root = mkdtempSync(join(tmpdir(), "forge-folder-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const write = (out: string) => writeNewFolder(out, async (draft) => writeFileSync(join(draft, "x"), "x"));

describe("a folder that appears at once", () => {
  it("is there whole, its parents too", async () => {
    await write(join(root, "a", "b"));
    expect(existsSync(join(root, "a", "b", "x"))).toBe(true);
  });

  it("is refused with a sentence where none can be made, or where something is", async () => {
    writeFileSync(join(root, "file"), "");
    const refusal = (out: string): Promise<unknown> => write(out).catch((error: unknown) => error);
    // a file system that takes no folder, for root neither
    const none = await refusal("/proc/x");
    expect(none).toBeInstanceOf(CannotError);
    expect(String(none)).toMatch(/\/proc\/x: the folder cannot be made \(.+\)\. Name another place\.$/);
    expect(await refusal(join(root, "file", "x"))).toBeInstanceOf(CannotError);
    expect(await refusal(join(root, "file"))).toBeInstanceOf(ConfigError);
    expect(await refusal(join(root, "a"))).toBeInstanceOf(ConfigError);
    expect(String(await refusal(" "))).toBe(
      "ConfigError: The name of the new folder is empty. Name one that does not exist yet, or is empty.",
    );
  });

  it("is what a link leads to, where that is an empty folder; a link to anything else is refused", async () => {
    const at = (name: string): string => join(root, "links", name);
    mkdirSync(at("real"), { recursive: true });
    for (const [name, to] of Object.entries({ link: "real", astray: "nowhere", file: "../file", full: "../a", round: "round" }))
      symlinkSync(to, at(name));
    const inside: string[] = [];
    await writeNewFolder(at("link"), async (draft) => {
      inside.push(basename(draft));
      writeFileSync(join(draft, "x"), "x");
    });
    expect([readlinkSync(at("link")), readdirSync(at("real")), inside]).toEqual(["real", ["x"], ["link"]]);
    const refusal = (name: string): Promise<unknown> => write(at(name)).catch((error: unknown) => error);
    const astray = await refusal("astray");
    expect(astray).toBeInstanceOf(ConfigError);
    expect(String(astray)).toMatch(/astray is a link to nowhere, which does not exist\. Create that folder, or name another place\.$/);
    expect(await refusal("file")).toBeInstanceOf(ConfigError);
    expect(await refusal("full")).toBeInstanceOf(ConfigError);
    expect(await refusal("round")).toBeInstanceOf(CannotError);
    expect(readdirSync(join(root, "links"))).toEqual(["astray", "file", "full", "link", "real", "round"]);
  });

  it("takes with it the folders that were made above it, where it fails, and no other", async () => {
    const fails = (out: string): Promise<unknown> =>
      writeNewFolder(out, async () => Promise.reject(new Error("it broke"))).catch((error: unknown) => error);
    mkdirSync(join(root, "stays"));
    expect(String(await fails(join(root, "stays", "deep", "er", "bad")))).toBe("Error: it broke");
    expect(readdirSync(join(root, "stays"))).toEqual([]);
    expect(await write(join(root, "stays", "deep", "a".repeat(300))).catch((error: unknown) => error)).toBeInstanceOf(CannotError);
    expect(readdirSync(join(root, "stays"))).toEqual([]);
    await writeNewFolder(join(root, "stays", "deep", "bad"), async () => {
      writeFileSync(join(root, "stays", "deep", "of-another"), "");
      throw new Error("it broke");
    }).catch(() => undefined);
    expect(readdirSync(join(root, "stays", "deep"))).toEqual(["of-another"]);
  });
});
