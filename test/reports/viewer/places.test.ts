import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { configAsked } from "../../../reports/viewer/config-asked.ts";
import { createPlaces } from "../../../reports/viewer/places.ts";

const root = mkdtempSync(join(tmpdir(), "forge-places-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const at = (...path: string[]): string => {
  const folder = join(root, ...path);
  mkdirSync(folder, { recursive: true });
  return folder;
};
const cwd = at("here");

describe("the name of a folder in an address", () => {
  it("is relative to where the command was started", () => {
    const places = createPlaces({ cwd, roots: [at("here", "jobs")] });
    const run = at("here", "jobs", "a", "1");
    expect([places.of(run), places.folder("jobs/a/1")]).toEqual(["jobs/a/1", run]);
  });

  it("begins with its root's name where that is the very folder, lies elsewhere, or is a bundle's", () => {
    const [elsewhere, opened] = [at("elsewhere", "job"), at("tmp", "forge-opened-1", "runs")];
    const places = createPlaces({ cwd, roots: [cwd, elsewhere, opened], names: new Map([[opened, "shared.tgz"]]) });
    for (const [folder, place] of [
      [cwd, "here"],
      [at("here", "trials", "x"), "here/trials/x"],
      [elsewhere, "job"],
      [at("elsewhere", "job", "trials", "x"), "job/trials/x"],
      [at("tmp", "forge-opened-1", "runs", "r"), "shared.tgz/r"],
    ] as const)
      expect([places.of(folder), places.folder(place)]).toEqual([place, folder]);
    expect(() => places.folder("job/../../secret")).toThrow("The folder job/../../secret is not among the folders that forge view shows.");
  });

  it("is of one folder alone: two roots of a name are told apart, and a root from what lies here", () => {
    const roots = [at("one", "job"), at("two", "job"), at("three", "kept")];
    const kept = at("here", "kept");
    const places = createPlaces({ cwd, roots: [...roots, kept] });
    const names = [...roots, kept].map((folder) => places.of(folder));
    expect(names).toEqual(["job", "job~2", "kept~2", "kept"]);
    expect(names.map((name) => places.folder(name))).toEqual([...roots, kept]);
  });
});

describe("a configuration that a page asks for", () => {
  const roots = [at("shown")];
  const asked = (value: string): string => configAsked(value, { cwd, roots });
  writeFileSync(join(cwd, "mine.yaml"), "{}");
  writeFileSync(join(cwd, "notes"), "not yours");
  writeFileSync(join(root, "other.yaml"), "not yours");
  symlinkSync(join(root, "other.yaml"), join(cwd, "link.yaml"));
  symlinkSync("/etc/passwd", join(cwd, "passwd.yaml"));

  it("is a preset, or a configuration's file below the folder of the command or one that is shown", () => {
    for (const value of ["standard", "no-such-preset", "mine.yaml", "./mine.yaml", "sub/not-there.yml", join(root, "shown", "of-job.json")])
      expect(asked(value)).toBe(value);
  });

  it("is no other file, whose content a mistake would tell", () => {
    for (const value of [
      "../../../etc/passwd",
      "/etc/passwd",
      "notes",
      "../other.yaml",
      "link.yaml",
      "passwd.yaml",
      "../here/../other.yaml",
      "a\0.yaml",
    ])
      expect(() => asked(value), value).toThrow(
        /: name a preset, or a configuration \(\.yaml, \.yml or \.json\) below the folder in which forge view was started/,
      );
  });
});
