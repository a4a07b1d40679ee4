import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeTemporaryFolder } from "../../../harness/files/temporary-folder.ts";
import { thisOwner } from "../../../harness/sandbox/owner.ts";

it("a temporary folder goes when its process was killed at any moment, and no other folder does", () => {
  const { pid } = spawnSync("true");
  const make = (name: string, owner?: object): string => {
    const folder = join(tmpdir(), name);
    mkdirSync(folder);
    if (owner) writeFileSync(join(folder, "owner.json"), JSON.stringify(owner));
    return folder;
  };
  const ended = { ...thisOwner(), process: `${pid}-1` };
  const [early, late] = [make(`forge-try-${pid}-1-early`), make(`forge-try-${pid}-1-late`, ended)];
  const others = [
    make(`forge-try-${thisOwner().process}-new`),
    make(`forge-try-${pid}-1-there`, { ...ended, place: "another/machine/" }),
    make("forge-try-mine", ended),
    make(`forge-trying-${pid}-1-x`, ended),
  ];
  const folder = makeTemporaryFolder("forge-try");
  expect([early, late].filter((left) => existsSync(left))).toEqual([]);
  expect(others.filter((other) => !existsSync(other))).toEqual([]);
  expect(JSON.parse(readFileSync(join(folder, "owner.json"), "utf8"))).toEqual(thisOwner());
});
