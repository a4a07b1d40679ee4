import { afterAll, afterEach, expect, it, vi } from "vitest";
import { showTaskStats } from "../../../cli/task/show-task-stats.ts";
import { bench } from "../../../evals/bench/bench.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch } from "../../evals/bench-fixture.ts";

afterAll(removeScratch);
afterEach(() => vi.restoreAllMocks());

it("forge task stats prints no escape sequence of a task's, whatever it calls its level", async () => {
  const task = await fixtureTask();
  const hostile = { ...task, metadata: { ...task.metadata, difficulty: "\u001B[31mhard" } };
  const request = await fixtureRequest([hostile]);
  await bench(request, await benchPorts());
  let printed = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  await showTaskStats([request.out ?? ""], {});
  expect(printed).toContain("[31mhard");
  expect(printed).not.toContain("\u001B");
});
