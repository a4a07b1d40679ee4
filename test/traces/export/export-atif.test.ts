import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnyMiddleware } from "../../../harness/contract/middleware.ts";
import { runFixture } from "../../../testing.ts";
import { atifOfRun } from "../../../traces/export/atif/atif-of-run.ts";
import { trajectorySchema, type AtifStep, type Trajectory } from "../../../traces/export/atif/trajectory.ts";
import { exported } from "./exported.ts";
import { generatedRun, optionsOf } from "../generated-run.ts";
import { draws } from "../../needs.ts";

const all = (trajectory: Trajectory): AtifStep[] => [...trajectory.steps, ...(trajectory.subagent_trajectories ?? []).flatMap(all)];
const written = (trajectory: Trajectory): unknown => JSON.parse(JSON.stringify(trajectory));

const look = { calls: [{ name: "bash", args: { command: "ls" } }] };
const nag: AnyMiddleware = {
  name: "nag",
  version: "1",
  async start() {
    return { messages: ["Mind the gap."] };
  },
  async tool(call, next) {
    const reply = await next(call);
    return { ...reply, content: [{ type: "text", text: "shortened" }] };
  },
};

describe("a run as a trajectory of ATIF", () => {
  it("has the system prompt, the task, what middleware said, the answers with their calls and what the model saw of the results", async () => {
    const { events } = await runFixture({
      task: "Look.",
      script: [{ text: "I look.", ...look }, { text: "a.txt" }],
      exec: () => "a.txt b.txt",
      middleware: [nag],
    });
    const { trajectory } = atifOfRun(exported(events));
    expect(trajectory.steps).toMatchObject([
      { step_id: 1, source: "system", message: "You are a coding agent." },
      { step_id: 2, source: "user", message: "Look." },
      { step_id: 3, source: "user", message: "Mind the gap.", extra: { middleware: "nag", phase: "start" } },
      {
        step_id: 4,
        source: "agent",
        message: "I look.",
        tool_calls: [{ function_name: "bash", arguments: { command: "ls" } }],
        observation: { results: [{ content: "shortened", extra: { before_middleware: "a.txt b.txt", status: "ok" } }] },
        llm_call_count: 1,
      },
      { step_id: 5, source: "agent", message: "a.txt" },
    ]);
    expect(trajectory).toMatchObject({ schema_version: "ATIF-v1.7", session_id: "ab".repeat(32), extra: { outcome: { type: "done" } } });
    trajectorySchema.parse(written(trajectory));
  });

  it("is one that the format allows, whatever happened in the run, with every answer, result and token in it", async () => {
    await fc.assert(
      fc.asyncProperty(generatedRun, async (run) => {
        const { events } = await runFixture(optionsOf(run));
        const { trajectory } = atifOfRun(exported(events));
        trajectorySchema.parse(written(trajectory));
        const steps = all(trajectory);
        const answers = events.filter(({ t }) => t === "model.response");
        expect(steps.filter((step) => step.llm_call_count === 1)).toHaveLength(answers.length);
        const results = steps.flatMap((step) => step.observation?.results ?? []).filter((one) => one.extra?.["status"] !== undefined);
        expect(results).toHaveLength(events.filter(({ t }) => t === "tool.result").length);
        expect(trajectory.final_metrics).toMatchObject({ total_prompt_tokens: 7 * answers.length, total_completion_tokens: 3 * answers.length }); // prettier-ignore
        const references = steps.flatMap((step) => (step.observation?.results ?? []).flatMap((one) => one.subagent_trajectory_ref ?? []));
        const ids = new Set(idsOf(trajectory));
        expect(references.every((one) => ids.has(String(one.trajectory_id)))).toBe(true);
        expect(atifOfRun(exported(events))).toEqual({ trajectory, files: new Map() });
      }),
      { numRuns: draws(60) },
    );
  });

  it("gives images files of their own, and texts that have no UTF-8 form one", async () => {
    const { events } = await runFixture({ task: "half \ud800 pair \u0000", script: [{ text: "done" }] });
    const withImage = events.map((event) =>
      event.t === "run.start"
        ? {
            ...event,
            d: { ...event.d, input: { task: "half \ud800 pair", images: [{ type: "image", mediaType: "image/png", data: "aGk=" }] } },
          }
        : event,
    );
    const { trajectory, files } = atifOfRun(exported(withImage));
    const [path] = files.keys();
    expect(trajectory.steps[1]?.message).toEqual([
      { type: "text", text: "half \ufffd pair" },
      { type: "image", source: { media_type: "image/png", path } },
    ]);
    expect(Buffer.from(files.get(path ?? "") ?? []).toString()).toBe("hi");
  });

  it.each([
    ["a field that the format does not have", (t: Trajectory) => ({ ...t, mood: "good" })],
    ["no step", (t: Trajectory) => ({ ...t, steps: [] })],
    ["a gap in the numbers of steps", (t: Trajectory) => ({ ...t, steps: t.steps.slice(1) })],
    ["a result of a call that nobody made", (t: Trajectory) => ({ ...t, steps: [{ step_id: 1, source: "agent", message: "", observation: { results: [{ source_call_id: "x" }] } }] })], // prettier-ignore
    ["calls of somebody who is not the agent", (t: Trajectory) => ({ ...t, steps: [{ step_id: 1, source: "user", message: "", tool_calls: [] }] })], // prettier-ignore
    ["two subagents of one name", (t: Trajectory) => ({ ...t, subagent_trajectories: [{ ...t, trajectory_id: "x" }, { ...t, trajectory_id: "x" }] })], // prettier-ignore
  ])("is held to a schema that refuses %s", async (_, broken) => {
    const { events } = await runFixture({ script: [{ text: "done" }] });
    const { trajectory } = atifOfRun(exported(events));
    expect(trajectorySchema.safeParse(written(trajectory)).success).toBe(true);
    expect(trajectorySchema.safeParse(broken(trajectory)).success).toBe(false);
  });
});

const idsOf = (trajectory: Trajectory): string[] =>
  (trajectory.subagent_trajectories ?? []).flatMap((one) => [String(one.trajectory_id), ...idsOf(one)]);
