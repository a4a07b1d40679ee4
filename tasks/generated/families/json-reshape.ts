import type { Family } from "../family.ts";
import { orders } from "../json-reshape/orders.ts";
import { readings } from "../json-reshape/readings.ts";
import { tree } from "../json-reshape/tree.ts";
import { drawRuleBook } from "../rule-book.ts";

/** Nested JSON into another shape: a join, a tree made flat, readings in groups. */
export const jsonReshape: Family = {
  name: "json-reshape",
  summary: "write a program that joins, flattens or groups nested JSON; nulls, missing keys, repeats and mixed types are the traps",
  split: "validation",
  tags: ["data", "json"],
  draw: drawRuleBook([orders, readings, tree]),
};
