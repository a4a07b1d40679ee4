import { sha256 } from "../../harness/hash/sha256.ts";

/** Develop: what changes are made from and screened on. Test: what alone shows an effect. */
export type Part = "develop" | "test";

/** Said to whoever wants to check it by hand. */
export const splitRule = "a family whose name has a SHA-256 that begins with 0 to 4 is for development, any other for the test";

/** A family's part follows from its name alone, so that no other family and no run can move it. */
export const partOf = (family: string): Part => (Number.parseInt(sha256(family).slice(0, 1), 16) < 5 ? "develop" : "test");

export interface Split {
  readonly develop: readonly string[];
  readonly test: readonly string[];
}

export function splitFamilies(families: readonly string[]): Split {
  const names = [...new Set(families)].toSorted();
  const of = (part: Part): string[] => names.filter((name) => partOf(name) === part);
  return { develop: of("develop"), test: of("test") };
}
