import { ConfigError, InfraError } from "../../errors.ts";
import type { Recipe, RecipeStep } from "./recipe.ts";
import type { ExecResult } from "../sandbox.ts";

/** @throws ConfigError when a RUN of a recipe did not succeed, with its last lines. */
export function failedStep(recipe: Recipe, step: Extract<RecipeStep, { type: "run" }>, result: ExecResult): void {
  if (result.status === "exited" && result.exitCode === 0) return;
  const place = `${recipe.file}:${step.line}: RUN ${step.command.slice(0, 120)}`;
  if (result.status !== "exited")
    throw new InfraError(`${place}: ended by ${result.status === "timeout" ? "its time limit of 600 s" : "a signal"}.`);
  const tail = Buffer.concat([result.stdout, result.stderr]).toString().trim().split("\n").slice(-5).join(" | ");
  throw new ConfigError(
    `${place}: failed with exit code ${result.exitCode}${tail ? ` (${tail})` : ""}; correct it, or run the task with --sandbox docker, where the image has what it needs.`,
  );
}
