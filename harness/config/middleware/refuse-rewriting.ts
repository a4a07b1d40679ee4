import { ConfigError } from "../../errors.ts";
import type { ResolvedConfig, ResolvedModel } from "../../contract/resolved-config.ts";
import { rowOf } from "../../models/families/find-row.ts";
import { keyPath } from "../read/describe-issue.ts";
import type { resolveMiddleware } from "./resolve-middleware.ts";

/**
 * A model whose history is frozen refuses a conversation whose earlier messages changed: each trial would end at its first rewriting.
 * Source: platform.claude.com, "What's new in Fable 5.2" (preserved thinking).
 * @throws ConfigError with the middleware, the model, the cure and the place
 */
export function refuseRewriting(model: ResolvedModel, all: Awaited<ReturnType<typeof resolveMiddleware>>): void {
  const rewriting = all.find(({ resolved }) => resolved.rewrites);
  if (rewriting === undefined || rowOf(model.name, model.row)?.history !== "frozen") return;
  const { entry, resolved } = rewriting;
  throw new ConfigError(
    `${keyPath(entry.path)}: the middleware "${resolved.name}" changes earlier messages, and ${model.name} refuses a conversation whose earlier messages changed (history: frozen in docs/models.md); take it out with {name: ${entry.value.name}, off: true}, use one that only adds at the end, or name a model whose history is free (${entry.from.place(entry.path)})`,
  );
}

/** What rewriting costs a model that drops its reasoning instead: a sentence for people, before anything runs. */
export function rewritingNotes({ model, middleware }: Pick<ResolvedConfig, "model" | "middleware">): string[] {
  if (rowOf(model.name, model.row)?.history !== "drops reasoning") return [];
  return middleware
    .filter(({ rewrites }) => rewrites)
    .map(({ name }) => `${model.name} drops its earlier reasoning each time the middleware "${name}" changes earlier messages.`);
}
