import { z } from "zod";
import { middleware } from "../harness/contract/middleware.ts";
import { effortSchema } from "../harness/contract/model-row.ts";
import { takesEffort } from "../harness/models/families/find-row.ts";
import { phaseOf } from "./reasoning-sandwich/phase-of.ts";

const options = z
  .strictObject({
    plan: effortSchema.default("xhigh").describe("before the first edit"),
    work: effortSchema.default("high").describe("while editing"),
    verify: effortSchema.default("xhigh").describe("after a check, or when a finish was refused, until the next edit"),
    unknown: effortSchema.default("high").describe("no edit yet, but the time for planning is over"),
    planUntil: z.number().gt(0).max(1).default(0.33).describe("share of the most used limit after which planning is over"),
  })
  .describe(
    "Sets how hard the model thinks by phase: much for planning and verifying, less for the work in between. Only the one call is changed, so whatever the configuration says holds again without it. A model without an effort parameter is left alone, which is said once.",
  );

/** Source: LangChain, "Improving Deep Agents with harness engineering" (2026), the "reasoning sandwich" of xhigh, high, xhigh. */
export const reasoningSandwich = middleware("reasoning-sandwich", "1", options, (o) => ({
  async start(run) {
    const { model } = run.config;
    if (!takesEffort(model)) run.intervene("no effect", `${model.name} has no effort parameter`);
  },

  async model(call, next, run) {
    if (!takesEffort(run.config.model)) return next(call);
    const { phase, why } = phaseOf(run.log, run.spent, run.config.limits, o.planUntil);
    const effort = o[phase];
    if (call.params.effort === effort) return next(call);
    run.intervene(`effort ${call.params.effort ?? "unset"} → ${effort}`, `${phase}: ${why}`);
    return next({ ...call, params: { ...call.params, effort } });
  },
}));
