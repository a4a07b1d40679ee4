import { execFile } from "node:child_process";
import { appendFile, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { tasksOfJob } from "../../../evals/job/tasks-of-job.ts";
import { CannotError } from "../../../harness/errors.ts";
import { loadSuite } from "../../../tasks/formats/load-suite.ts";
import { complaint, harborTask, terminalBenchTask, writeFiles } from "../write-task.ts";

const run = promisify(execFile);

let parent: string;
let cache: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "forge-dataset-"));
  cache = join(parent, "cache");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(parent, { recursive: true });
});

/** A bare repository with two tasks, and its commits, oldest first. */
async function repository(): Promise<{ url: string; commits: string[] }> {
  const work = join(parent, "work");
  await harborTask(join(work, "tasks", "one"));
  await terminalBenchTask(join(work, "tasks", "two"));
  const git = async (...args: string[]): Promise<string> =>
    (await run("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: work })).stdout.trim();
  await git("init", "--quiet", "--initial-branch=main");
  const commits: string[] = [];
  for (const text of ["First.\n", "Second.\n"]) {
    await writeFile(join(work, "tasks", "one", "instruction.md"), text);
    await git("add", "--all");
    await git("commit", "--quiet", "-m", text);
    commits.push(await git("rev-parse", "HEAD"));
  }
  await git("clone", "--quiet", "--bare", work, join(parent, "bare.git"));
  return { url: `file://${join(parent, "bare.git")}`, commits };
}

describe("a dataset in a repository", () => {
  it("is where a job that was made of it finds its tasks again", async () => {
    const { url, commits } = await repository();
    const job = join(parent, "job");
    const asked = { suite: `git+${url}@${commits[0]}#tasks` };
    await writeFiles(job, { "config.json": JSON.stringify({ asked }), "lock.json": JSON.stringify({ cwd: parent }) });
    vi.stubEnv("FORGE_CACHE", cache);
    const found = await tasksOfJob(job, new Set(["one"]), { cure: "Name them." });
    expect(found.map(({ name }) => name)).toEqual(["one"]);
  });

  it("is a commit's folder, fetched once, with tasks of both formats", async () => {
    const { url, commits } = await repository();
    const suite = await loadSuite(`git+${url}@${commits[0]}#tasks`, { cache });
    expect(suite.name).toBe(`tasks@${commits[0]?.slice(0, 12)}`);
    expect(suite.tasks.map(({ name, format }) => [name, format])).toEqual([
      ["one", "harbor"],
      ["two", "terminal-bench"],
    ]);
    expect(suite.tasks[0]?.instruction).toBe("First.\n");
    expect((await loadSuite(`${url}@${commits[1]}#tasks/one`, { cache })).tasks[0]?.instruction).toBe("Second.\n");
    await rm(join(parent, "bare.git"), { recursive: true });
    expect((await loadSuite(`git+${url}@${commits[0]}#tasks`, { cache })).digest).toBe(suite.digest);
  });

  it("becomes the commit's again where its cached files were changed", async () => {
    const { url, commits } = await repository();
    const reference = `git+${url}@${commits[1]}#tasks`;
    const before = await loadSuite(reference, { cache });
    const task = before.tasks[0]?.folder ?? "";
    await appendFile(join(task, "tests", "test.sh"), "echo 1\n");
    await writeFile(join(task, "tests", "more.sh"), "");
    expect((await loadSuite(reference, { cache })).digest).toBe(before.digest);
  });

  it("leaves nothing half in the cache, whoever comes first", async () => {
    const { url, commits } = await repository();
    const reference = `git+${url}@${commits[1]}#tasks`;
    const suites = await Promise.all([1, 2, 3].map(() => loadSuite(reference, { cache })));
    expect(new Set(suites.map(({ digest }) => digest)).size).toBe(1);
    const [address = ""] = await readdir(join(cache, "datasets", "git"));
    expect(await readdir(join(cache, "datasets", "git", address))).toEqual([commits[1]]);
  });

  it("is refused by a branch, a tag, half a hash, another transport, a path out of it, and a commit that it has not", async () => {
    const { url, commits } = await repository();
    const whole = "0123456789abcdef0123456789abcdef01234567";
    expect(await complaint(loadSuite(`git+${url}@main`, { cache }))).toContain('"main" is not a whole commit hash');
    expect(await complaint(loadSuite(`git+${url}`, { cache }))).toContain("no commit is named");
    expect(await complaint(loadSuite(`git+${url}@${commits[0]?.slice(0, 12)}`, { cache }))).toContain("is not a whole commit hash");
    expect(await complaint(loadSuite(`git+ext::sh -c id@${whole}`, { cache }))).toContain("is no address of a repository");
    expect(await complaint(loadSuite(`git+--upload-pack=id@${whole}`, { cache }))).toContain("is no address of a repository");
    expect(await complaint(loadSuite(`git+${url}@${whole}#../..`, { cache }))).toContain("leads out of the repository");
    expect(await complaint(loadSuite(`git+${url}@${whole}`, { cache }))).toContain("the repository has no such commit");
    expect(await complaint(loadSuite(`git+${url}@${commits[0]}#nowhere`, { cache }))).toContain('has no folder "nowhere"');
    expect(await complaint(loadSuite(`git+${url}@${commits[0]}`, { cache }))).toContain("holds no task there");
  });

  it("says that it cannot be fetched, and not the password in its address", async () => {
    const commit = "0".repeat(40);
    const failing = loadSuite(`git+http://me:secret@127.0.0.1:9/repo.git@${commit}`, { cache });
    await expect(failing).rejects.toThrow(CannotError);
    await expect(failing).rejects.toThrow(/127\.0\.0\.1:9\/repo\.git@0+: git could not fetch it/);
    await expect(failing).rejects.not.toThrow(/secret/);
  });
});

describe("a manifest", () => {
  it.each(["json", "yaml", "toml"])("in %s names tasks by folder and by commit, each with its digest", async (ending) => {
    const { url, commits } = await repository();
    await harborTask(join(parent, "here"));
    const here = (await loadSuite(join(parent, "here"))).tasks[0]?.digest ?? "";
    const there = (await loadSuite(`${url}@${commits[0]}#tasks/one`, { cache })).tasks[0]?.digest ?? "";
    const tasks = [
      { path: "here", digest: here },
      { url, commit: commits[0] ?? "", path: "tasks/one", digest: `sha256:${there}` },
    ];
    const file = join(parent, `mine.${ending}`);
    const toml = tasks.map(
      (task) =>
        `[[tasks]]\n${Object.entries(task)
          .map(([key, value]) => `${key} = "${value}"\n`)
          .join("")}`,
    );
    await writeFile(file, ending === "toml" ? `name = "mine"\n${toml.join("")}` : JSON.stringify({ name: "mine", tasks }, null, 2));
    const suite = await loadSuite(file, { cache });
    expect([suite.name, suite.tasks.map(({ name }) => name)]).toEqual(["mine", ["here", "one"]]);
  });

  it("refuses a task whose repository cannot be fetched, without the password in its address, and loads the others", async () => {
    await harborTask(join(parent, "a"));
    const digest = (await loadSuite(join(parent, "a"))).tasks[0]?.digest ?? "";
    const away = { url: "http://me:secret@127.0.0.1:9/repo.git", commit: "0".repeat(40), path: "tasks/one", digest };
    const file = join(parent, "mine.json");
    await writeFile(file, JSON.stringify({ tasks: [away, { path: "a", digest }] }));
    const suite = await loadSuite(file, { cache });
    expect(suite.tasks.map(({ name }) => name)).toEqual(["a"]);
    expect(suite.refused).toMatchObject([{ name: "one", reason: expect.stringContaining("git could not fetch it") as unknown }]);
    expect(JSON.stringify(suite.refused)).not.toContain("secret");
    await writeFile(file, JSON.stringify({ tasks: [away] }));
    await expect(loadSuite(file, { cache })).rejects.toThrow(CannotError);
  });

  it("refuses a task whose files are not those it names, and loads the others", async () => {
    await harborTask(join(parent, "a"));
    await harborTask(join(parent, "b"));
    const digest = (await loadSuite(join(parent, "a"))).tasks[0]?.digest ?? "";
    const file = join(parent, "mine.json");
    await writeFile(join(parent, "b", "instruction.md"), "Something else.\n");
    await writeFile(
      file,
      JSON.stringify({
        tasks: [
          { path: "a", digest },
          { path: "b", digest },
        ],
      }),
    );
    const suite = await loadSuite(file);
    expect(suite.tasks.map(({ name }) => name)).toEqual(["a"]);
    expect(suite.refused).toMatchObject([{ name: "b", reason: expect.stringContaining(`and the manifest has ${digest}`) as unknown }]);
  });

  it.each([
    [{ tasks: [{ path: "a" }] }, "mine.json:1: tasks.0.digest: expected text, and there is no such key"],
    [{ tasks: [{ path: "a", digest: "abc" }] }, 'tasks.0.digest: expected the 64 digits of a task\'s SHA-256, got "abc"'],
    [{ tasks: [{ path: "../a", digest: "0".repeat(64) }] }, "leads out of the manifest's folder"],
    [{ tasks: [{ path: "/etc", digest: "0".repeat(64) }] }, "leads out of the manifest's folder"],
    [{ tasks: [{ digest: "0".repeat(64) }] }, "has neither path nor url"],
    [{ tasks: [{ url: "https://example.com/x", commit: "main", digest: "0".repeat(64) }] }, '"main" is not a whole commit hash'],
    [{ tasks: [] }, "tasks: expected at least 1 entry"],
    [[], "expected a table"],
  ])("of %j is refused with place and cure", async (data, expected) => {
    await writeFile(join(parent, "mine.json"), JSON.stringify(data));
    expect(await complaint(loadSuite(join(parent, "mine.json")))).toContain(expected);
  });
});
