import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeTemporaryFolder } from "../../../harness/files/temporary-folder.ts";
import { thisOwner } from "../../../harness/sandbox/owner.ts";

it("a temporary folder goes when its process was killed at any moment, and no other folder does", () => {
  const { pid } = spawnSync("true");
  const make = (name: string, owner?: object | ""): string => {
    const folder = join(tmpdir(), name);
    mkdirSync(folder);
    if (owner !== undefined) writeFileSync(join(folder, "owner.json"), owner && JSON.stringify(owner));
    if (owner) writeFileSync(join(folder, "data"), "");
    return folder;
  };
  const ended = { ...thisOwner(), process: `${pid}-1` };
  const left = [make(`forge-try-${pid}-1-early1`), make(`forge-try-${pid}-1-within`, ""), make(`forge-try-${pid}-1-later1`, ended)];
  const data = make(`forge-try-${pid}-1-theirs`);
  writeFileSync(join(data, "data"), "");
  const others = [
    make(`forge-try-${thisOwner().process}-newer1`),
    data,
    make(`forge-try-${pid}-1-there1`, { ...ended, place: "another/machine/" }),
    make("forge-try-mine", ended),
    make("forge-try-2026-11-26", ended),
    make(`forge-trying-${pid}-1-other1`, ended),
  ];
  const folder = makeTemporaryFolder("forge-try");
  expect(left.filter((one) => existsSync(one))).toEqual([]);
  expect(others.filter((other) => !existsSync(other))).toEqual([]);
  expect(JSON.parse(readFileSync(join(folder, "owner.json"), "utf8"))).toEqual(thisOwner());
});
