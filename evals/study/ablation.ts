import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { ConfigError } from "../../harness/errors.ts";
import type { ArmPlan } from "./study-arms.ts";

/**
 * The arms that show what each middleware of a configuration is worth: one for each left out, held against the whole. `add`: also the configuration
 * without any, and with each one alone, held against that. Tools, prompts, limits and model stay the same throughout.
 * @throws ConfigError for a configuration without middleware
 */
export function ablation({ name, middleware }: Pick<ResolvedConfig, "name" | "middleware">, o: { readonly add: boolean }): ArmPlan[] {
  const names = middleware.map((one) => one.name);
  if (names.length === 0)
    throw new ConfigError(
      `--ablate ${name}: this configuration has no middleware that could be left out; name one that has, such as standard.`,
    );
  const without = names.map((one): ArmPlan => ({ change: { name: `${name} − ${one}`, without: [one] }, against: name }));
  if (!o.add) return without;
  const none = `${name} − all`;
  const alone = names.map((one): ArmPlan => ({
    change: { name: `${none} + ${one}`, without: names.filter((other) => other !== one) },
    against: none,
  }));
  return [...without, { change: { name: none, without: names } }, ...alone];
}
