import { z } from "zod";
import { middleware } from "../harness/contract/middleware.ts";
import type { ResolvedModel } from "../harness/contract/resolved-config.ts";
import { effortSchema } from "../harness/contract/model-row.ts";
import { rowOf, takesEffort } from "../harness/models/families/find-row.ts";
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
    "Sets how hard the model thinks by phase: much for planning and verifying, less for the work in between. Only the one call is changed, so without it the configuration's setting applies again. A model that has no effort parameter, or is not known to take one, is left alone, which is reported once.",
  );

/** Source: LangChain, "Improving Deep Agents with harness engineering" (2026), the "reasoning sandwich" of xhigh, high, xhigh. */
const reasoningSandwichOf = (version: string, noEffect: (model: ResolvedModel) => string) =>
  middleware("reasoning-sandwich", version, options, (o) => ({
    async start(run) {
      const { model } = run.config;
      if (!takesEffort(model)) run.intervene("no effect", noEffect(model));
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

const hasNone = ({ name }: ResolvedModel): string => `${name} has no effort parameter`;

/** Says of a model that no row describes what it says of one without the parameter. */
export const reasoningSandwich1 = reasoningSandwichOf("1", hasNone);

export const reasoningSandwich = reasoningSandwichOf("2", (model) =>
  rowOf(model.name, model.row)?.effort
    ? hasNone(model)
    : `${model.name} is not known to take an effort parameter; if it does, say so in the configuration: models: {${model.name}: {effort: [low, high]}}`,
);
