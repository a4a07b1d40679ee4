import { ConfigError } from "../../harness/errors.ts";
import { nameFilter } from "../../harness/text/name-filter.ts";
import { families } from "../../tasks/generated/families.ts";
import { levels, type Family, type Level } from "../../tasks/generated/family.ts";

/** One task to be gated: where it comes from and where it is tried. */
export interface GateItem {
  readonly family: Family;
  readonly level: Level;
  readonly seed: number;
  readonly sandbox: "docker" | "bubblewrap";
}

/**
 * The tasks of a campaign, family by family. Levels take turns from seed to seed; the first `docker` seeds of a family are tried in Docker, and the others
 * under bubblewrap.
 */
export function gatePlan(o: {
  readonly families: string;
  readonly first: number;
  readonly seeds: number;
  readonly docker: number;
}): GateItem[] {
  const fits = o.families === "all" ? () => true : nameFilter(`{${o.families}}`);
  const chosen = families.filter(({ name }) => fits(name));
  if (chosen.length === 0)
    throw new ConfigError(`--families: there is no family "${o.families}". Choose among ${families.map(({ name }) => name).join(", ")}.`);
  return chosen.flatMap((family) =>
    Array.from({ length: o.seeds }, (_, i): GateItem => {
      const level = levels[i % levels.length] ?? "easy";
      return { family, level, seed: o.first + i, sandbox: i < o.docker ? "docker" : "bubblewrap" };
    }),
  );
}
