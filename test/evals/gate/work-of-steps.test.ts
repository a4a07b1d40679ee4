import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { workOfSteps } from "../../../evals/gate/attacks/work-of-steps.ts";
import { bench } from "../../../evals/bench/bench.ts";
import { trialsOf } from "../../../evals/job/results/trials-of.ts";
import { needs } from "../../needs.ts";
import { benchPorts, fixtureRequest, removeScratch } from "../bench-fixture.ts";
import { stepsTask } from "../steps-task.ts";

afterAll(removeScratch);

describe.skipIf(needs("bubblewrap"))("what a solution writes in each step", () => {
  it("is what was kept of it, at the places that the agent had, and where it is not known no step is attacked", async () => {
    const apart = 'artifacts = ["out", {source = "/app/more", destination = "elsewhere"}]\n[steps.verifier]\nenvironment_mode = "separate"';
    const task = await stepsTask({
      one: { solve: "touch one", check: "[ -e one ]" },
      two: { solve: "echo 2 > out; mkdir more; echo 3 > more/of; touch unseen", check: "[ -e out ]", toml: apart },
      three: { solve: "echo 4 > out; rm one", check: "[ ! -e one ]" },
    });
    const request = await fixtureRequest([task], { agent: "oracle", sandbox: "bubblewrap", mode: "hardened" });
    const { folder: out } = await bench(request, await benchPorts(), { retryMs: 1 });
    const [record] = await trialsOf(out);
    if (!record || !task.steps) throw new Error("there is no trial of steps");
    const { steps } = task;
    const work = () => workOfSteps(task, steps, { record, out, workdir: "/app" });
    expect((await work()).map((files) => files.toSorted())).toEqual([
      ["/app/one"],
      ["/app/more/of", "/app/out"],
      ["/app/out", "/app/unseen"],
    ]);

    const kept = join(out, record.trace, "steps.json");
    const text = await readFile(kept, "utf8");
    const told = JSON.parse(text) as { steps: { delta: unknown }[] };
    (told.steps[1] ?? { delta: undefined }).delta = { kept: false, why: "it is too large" };
    await writeFile(kept, JSON.stringify(told));
    await expect(work()).rejects.toMatchObject({ name: "CannotError", message: expect.stringContaining('in step "two" is not known, so no step is attacked: nothing was kept of it, because it is too large.') as unknown }); // prettier-ignore
    await writeFile(kept, text);
    await rm(join(out, record.trace, "delta.json"));
    await expect(work()).rejects.toMatchObject({ name: "CannotError", message: expect.stringContaining("is missing") as unknown });
  });
});
