import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeLargeJob } from "../../../scripts/bench/viewer/write-large-job.ts";
import { built, cleanUp, emptyFolder, forge } from "../../e2e/forge.ts";

beforeAll(built, 300_000);
afterAll(cleanUp);

describe.skipIf(process.platform === "win32")("a job of many more trials than files may be open", () => {
  const root = emptyFolder();
  beforeAll(() => writeLargeJob(join(root, "large"), { tasks: 150, configurations: 4, repeats: 5 }));

  it.each([["compare"], ["report"], ["jobs", "show"], ["task", "stats"]])("is read by forge %s", async (...words) => {
    const few = ["sh", "-c", 'ulimit -n 256 && exec "$0" "$@"']; // as many as Node takes to load the command
    const { code, stdout, stderr } = await forge([...words, "large"], { cwd: root, under: few });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(words.includes("task") ? "task-0149" : "configuration-3");
  });
});
