import type { Family } from "../family.ts";
import { drawRuleBook } from "../rule-book.ts";
import { latest } from "../sql-report/latest.ts";
import { months } from "../sql-report/months.ts";
import { totals } from "../sql-report/totals.ts";

/** One query for SQLite, run on databases that are drawn at verification. */
export const sqlReport: Family = {
  name: "sql-report",
  summary: "write a query for SQLite by a description; NULLs, missing partners, ties, dates and repeats are the traps",
  split: "test",
  tags: ["data", "sql"],
  draw: drawRuleBook([latest, months, totals]),
};
