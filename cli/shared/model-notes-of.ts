import { rewritingNotes } from "../../harness/config/middleware/refuse-rewriting.ts";
import { effortSchema } from "../../harness/contract/model-row.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { rowOf } from "../../harness/models/families/find-row.ts";
import { effortNotes } from "../../harness/models/providers/effort.ts";

/** What a configuration asks of its model in vain or at a price: efforts, its own or those of reasoning-sandwich, and earlier messages that change. */
export function modelNotesOf(config: ResolvedConfig): string[] {
  const { model, middleware } = config;
  const options = middleware.find(({ name }) => name === "reasoning-sandwich")?.options ?? {};
  const efforts = [model.effort, ...Object.values(options)].flatMap((value) => effortSchema.safeParse(value).data ?? []);
  if (model.name.startsWith("sim/")) return [];
  return [...effortNotes(model.name, rowOf(model.name, model.row), efforts, model.maxOutputTokens), ...rewritingNotes(config)];
}
