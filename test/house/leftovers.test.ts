import { execFileSync } from "node:child_process";
import { afterAll, describe, expect, it } from "vitest";
import { baseImage, missing } from "../../scripts/setup/missing.mjs";
import { clearDaemon, listDaemon } from "../../scripts/setup/leftovers.mjs";
import { needs } from "../needs.ts";

const name = `left-${process.pid}`;
const [mine, others] = [`forge-task/${name}:mine`, `forge-task/${name}:others`];
const docker = (...args: string[]): string => execFileSync("docker", args, { encoding: "utf8" });
afterAll(() => {
  if (missing("docker")) return;
  docker("network", "rm", name);
  docker("rmi", others);
});

describe.skipIf(needs("docker"))("what the tests left on the daemon", () => {
  it("is named with the test that left it, and images that a test built go; what others have on the daemon is left alone", () => {
    const before = listDaemon();
    docker("network", "create", "--label", `forge.owner=${process.pid}-1`, "--label", "forge.trial=a/plain/1/1", name);
    for (const tag of [mine, others]) docker("tag", baseImage, tag);
    const notes = [{ test: "test/a.test.ts", pid: process.pid, folder: "/tmp/a", images: [mine] }];
    expect(clearDaemon(before, notes, false, 0)).toEqual([`network ${name} of trial a/plain/1/1, by test/a.test.ts`]);
    expect(clearDaemon(before, [{ test: "test/b.test.ts", pid: 0, folder: "/tmp/b", images: [] }], false, 0)).toEqual([]);
    const { images } = listDaemon();
    expect([images.has(mine), images.has(others)]).toEqual([false, true]);
  });
});
