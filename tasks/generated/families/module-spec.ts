import type { Family } from "../family.ts";
import { cache } from "../module-spec/cache.ts";
import { intervals } from "../module-spec/intervals.ts";
import { limiter } from "../module-spec/limiter.ts";
import { drawRuleBook } from "../rule-book.ts";

/** A class after a specification; the tests are calls in drawn orders, made beside the right class. */
export const moduleSpec: Family = {
  name: "module-spec",
  summary: "implement a small Python class from a specification with hidden tests: a cache, a set of intervals, a rate limiter",
  split: "train",
  tags: ["python", "implementation"],
  draw: drawRuleBook([cache, intervals, limiter]),
};
