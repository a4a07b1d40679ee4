import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../../../harness/sandbox/sandbox.ts";
import { changedPaths, scanTree, type Tree } from "../../../../harness/tools/effects/scan-tree.ts";
import { bench } from "../call-tool.ts";
import { createHostSandbox } from "../host-sandbox.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createHostSandbox();
});
afterAll(() => sandbox.close());

const tree = (files: Record<string, string>, complete = true): Tree => ({ files: new Map(Object.entries(files)), complete });

describe("the difference of two looks at a tree", () => {
  it("is what was added, changed and removed", () => {
    expect(changedPaths(tree({ a: "1", b: "1", c: "1" }), tree({ a: "1", b: "2", d: "1" }))).toEqual(["b", "c", "d"]);
  });

  it("is only what is certain when one was cut off", () => {
    expect(changedPaths(tree({ a: "1", b: "1" }, false), tree({ b: "2", c: "1" }))).toEqual(["a", "b"]);
    expect(changedPaths(tree({ a: "1", b: "1" }), tree({ b: "2", c: "1" }, false))).toEqual(["b", "c"]);
  });

  it("is empty between equal trees and turns additions into removals when looked at the other way round", () => {
    const files = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.constantFrom("1", "2"));
    fc.assert(
      fc.property(files, files, (a, b) => {
        expect(changedPaths(tree(a), tree(a))).toEqual([]);
        expect(changedPaths(tree(a), tree(b))).toEqual(changedPaths(tree(b), tree(a)));
      }),
    );
  });
});

describe("looking at the workdir", () => {
  it("leaves out histories, dependencies and caches, and takes any name", async () => {
    await sandbox.exec(
      "mkdir -p .git a/node_modules/x a/__pycache__ .venv target/debug b; touch .git/x a/node_modules/x/y a/__pycache__/z.pyc .venv/v target/debug/t b/c.pyc; touch -- 'a/sp ace' \"$(printf 'new\\nline')\" -dash b/.hidden",
    );
    const found = await scanTree(sandbox, new AbortController().signal);
    expect(found.complete).toBe(true);
    expect([...found.files.keys()].sort()).toEqual(["-dash", "a/sp ace", "b/.hidden", "new\nline"]);
  });

  it("stops at a cap and says so", async () => {
    const many = await createHostSandbox();
    await many.exec("mkdir d; cd d; seq 20100 | xargs touch");
    const found = await scanTree(many, new AbortController().signal);
    expect(found.complete).toBe(false);
    expect(found.files.size).toBeGreaterThan(10_000);
    await many.close();
  });
});

describe("effects", () => {
  it("cost one look a call, and none for a call that only looks", async () => {
    let scans = 0;
    const counting: Sandbox = {
      ...sandbox,
      exec(command, o) {
        if (command.includes("-xdev")) scans++;
        return sandbox.exec(command, o);
      },
    };
    const b = bench(counting);
    await b.call("list_dir", {});
    expect(scans).toBe(0);
    await b.call("bash", { command: "true" });
    expect(scans).toBe(2);
    await b.call("bash", { command: "true" });
    await b.call("read", { path: "b/.hidden" });
    await b.call("write", { path: "w", content: "x" });
    expect(scans).toBe(4);
  });

  it("of what was written between two calls show at the next that may write", async () => {
    const b = bench(sandbox);
    await b.call("bash", { command: "true" });
    await sandbox.exec("echo x > between");
    expect((await b.call("list_dir", {})).effects.edited).toEqual([]);
    expect((await b.call("bash", { command: "true" })).effects.edited).toEqual(["between"]);
  });

  it("of a failed or refused call are what it did, or nothing", async () => {
    const b = bench(sandbox);
    expect((await b.call("bash", { command: "echo x > half; exit 1" })).effects.edited).toEqual(["half"]);
    expect((await b.call("write", { path: "half", content: "y" })).effects.edited).toEqual([]);
  });
});
