import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createDraw } from "../../../tasks/generated/draw.ts";
import { commitIds, repositoryOf, treeId } from "../../../tasks/generated/git/history.ts";
import { decoys, note, tell } from "../../../tasks/generated/git/story.ts";
import { diary } from "../../../tasks/generated/projects/diary.ts";
import { gauge } from "../../../tasks/generated/projects/gauge.ts";
import { till } from "../../../tasks/generated/projects/till.ts";

const run = promisify(execFile);

it.each([till, diary, gauge])(
  "gives commits of %o the hashes that git gives them, merges and executable files among them",
  async (make) => {
    const d = createDraw("history", make.name);
    const project = make(d);
    const [first, second, third, ...more] = decoys(d, project, 14);
    if (!first || !second || !third) throw new Error("too few");
    const changes = [first, { ...second, aside: true }, { ...third, aside: true }, ...more, { message: "ÄÖ", apply: note("ü") }];
    const { commits } = tell(d, { ...project.modules, "a.sh": "#!/bin/sh\n", "a/b": "x\n", "a-b": "y\n" }, changes);
    const { app, build } = repositoryOf(commits, { main: commits.length - 1 });
    const folder = await mkdtemp(join(tmpdir(), "forge-history-"));
    try {
      for (const [path, content] of Object.entries(app)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), content);
      }
      await run("sh", ["-c", build.join(" && ")], { cwd: folder });
      const git = async (...args: string[]): Promise<string> => (await run("git", args, { cwd: folder })).stdout.trim();
      expect((await git("rev-list", "main")).split("\n").sort()).toEqual(commitIds(commits).sort());
      expect(await git("rev-parse", "main^{tree}")).toBe(treeId(commits.at(-1)?.files ?? {}));
      expect(await git("rev-list", "--merges", "--count", "main")).toBe("1");
      expect(await git("status", "--porcelain")).toBe("");
      expect(await git("branch", "--format=%(refname:short)")).toBe("main");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
