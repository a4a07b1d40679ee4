import { effortSchema } from "../../harness/contract/model-row.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { rowOf } from "../../harness/models/families/find-row.ts";
import { effortNotes } from "../../harness/models/providers/effort.ts";

/** What of the efforts that a configuration asks for, itself or by reasoning-sandwich, makes no difference to its model. */
export function effortNotesOf({ model, middleware }: ResolvedConfig): string[] {
  const options = middleware.find(({ name }) => name === "reasoning-sandwich")?.options ?? {};
  const efforts = [model.effort, ...Object.values(options)].flatMap((value) => effortSchema.safeParse(value).data ?? []);
  return model.name.startsWith("sim/") ? [] : effortNotes(model.name, rowOf(model.name, model.row), efforts, model.maxOutputTokens);
}
