import type { Draw } from "../draw.ts";
import type { RuleBook } from "../rule-book.ts";
import { text } from "../text.ts";
import { sqlApp, sqlAttempt, sqlCompare, sqlIntro, sqlLook } from "./frame.ts";

/** One table month by month. */
export function months(d: Draw): RuleBook {
  const [table, kind, kinds] = d.pick([["booking", "account", ["rent", "food", "travel", "books"]], ["harvest", "crop", ["rye", "oats", "beets", "hops"]], ["trip", "driver", ["ada", "ivo", "olga", "nils"]], ["repair", "part", ["brake", "lamp", "wheel", "chain"]]] as const); // prettier-ignore
  const [day, amount] = [d.pick(["day", "date", "done_on"]), d.pick(["amount", "value", "units"])];
  const fallback = d.int(3, 9);
  const weekend = d.chance(0.5);
  const schema = `CREATE TABLE ${table} (id INTEGER PRIMARY KEY, ${day} TEXT NOT NULL, ${kind} TEXT NOT NULL, ${amount} INTEGER);`;
  const sample = Array.from({ length: d.int(8, 12) }, (_, i) => [
    i + 1,
    `2026-0${d.int(1, 4)}-${String(d.int(10, 28))}`,
    d.pick(kinds),
    d.int(1, 80),
  ]);
  return {
    file: "query.sql",
    intro: sqlIntro(`It sums up the table \`${table}\` by months.`),
    base: [
      {
        name: "shape",
        asked: `There is one row for each month with rows that count. Its first column is the month, written like \`2026-03\`; its second one how many rows count in it; its third one the sum of their \`${amount}\`.`,
        mistake: [`substr(${day}, 1, 7)`, `substr(${day}, 6, 2)`],
      },
      { name: "order", asked: "The latest month comes first.", mistake: ["ORDER BY month DESC", "ORDER BY month"] },
    ],
    more: [
      { name: "nulls", asked: `Where \`${amount}\` is NULL, it is ${fallback}.`, mistake: [`COALESCE(${amount}, ${fallback})`, amount] },
      {
        name: "forms",
        asked: `In some rows \`${day}\` is written like \`31.12.2025\` instead of \`2025-12-31\`.`,
        mistake: [`substr(${day}, 4, 2) || '-' || substr(${day}, 1, 2)`, `substr(${day}, 1, 2) || '-' || substr(${day}, 4, 2)`],
      },
      {
        name: "twins",
        asked: `Several rows of the same day with the same \`${kind}\` and the same \`${amount}\` (two NULLs are the same, NULL and a number are not) count once.`,
        mistake: ["SELECT DISTINCT", "SELECT"],
      },
      {
        name: "weekdays",
        asked: weekend ? "Rows of Saturdays and Sundays do not count." : "Rows of Sundays do not count.",
        mistake: [weekend ? "NOT IN ('0', '6')" : "<> '0'", weekend ? "NOT IN ('6', '7')" : "<> '7'"],
      },
      {
        name: "gaps",
        asked: "The months without such rows that lie between the first and the last month have a row as well, with 0 and 0.",
        mistake: ["'+1 month'", "'+2 month'"],
        hard: true,
      },
      {
        name: "change",
        asked:
          "There is a fourth column, `change`: the sum of this month less that of the month whose row comes before it in time, NULL in the earliest.",
        mistake: ["LAG(total) OVER (ORDER BY month)", "LEAD(total) OVER (ORDER BY month)"],
        hard: true,
      },
      {
        name: "best",
        asked: `There is a last column, \`best\`: the \`${kind}\` with the largest sum in this month, of equal ones the first by alphabet; NULL where there are no rows that count.`,
        mistake: ["ORDER BY SUM(c.amount) DESC, c.kind", "ORDER BY MAX(c.amount) DESC, c.kind"],
        hard: true,
      },
    ],
    source: (asks) => text`
      WITH RECURSIVE clean AS (
        ${asks("twins") ? "SELECT DISTINCT" : "SELECT"}
          ${asks("forms") ? `CASE WHEN ${day} LIKE '__.__.____' THEN substr(${day}, 7, 4) || '-' || substr(${day}, 4, 2) || '-' || substr(${day}, 1, 2) ELSE ${day} END AS ${day},` : `${day},`}
          ${kind} AS kind, ${amount}
          ${asks("twins") ? "" : ", id"}
        FROM ${table}
      ), counted AS (
        SELECT substr(${day}, 1, 7) AS month, kind, ${asks("nulls") ? `COALESCE(${amount}, ${fallback})` : amount} AS amount
        FROM clean
        ${asks("weekdays") ? `WHERE strftime('%w', ${day}) ${weekend ? "NOT IN ('0', '6')" : "<> '0'"}` : ""}
      ), months AS (
        ${
          asks("gaps")
            ? text`
                SELECT MIN(month) AS month, MAX(month) AS latest FROM counted
                UNION ALL
                SELECT substr(date(month || '-01', '+1 month'), 1, 7), latest FROM months WHERE month < latest
              `
            : "SELECT month FROM counted GROUP BY month"
        }
      ), totals AS (
        SELECT m.month, COUNT(c.month) AS number, COALESCE(SUM(c.amount), 0) AS total
        FROM months AS m LEFT JOIN counted AS c ON c.month = m.month
        WHERE m.month IS NOT NULL
        GROUP BY m.month
      )
      SELECT month, number, total
        ${asks("change") ? ", total - LAG(total) OVER (ORDER BY month) AS change" : ""}
        ${asks("best") ? ", (SELECT c.kind FROM counted AS c WHERE c.month = t.month GROUP BY c.kind ORDER BY SUM(c.amount) DESC, c.kind LIMIT 1) AS best" : ""}
      FROM totals AS t
      ORDER BY month DESC
    `,
    compare: () =>
      sqlCompare(
        schema,
        text`
          from datetime import date, timedelta

          KINDS = ${JSON.stringify(kinds)}


          def drawn(active):
              start = date(2025, rng.choice([10, 11, 12]), rng.randint(1, 28))
              rows, truth = [], []
              for number in range(1, rng.randint(8, 40)):
                  when = start + timedelta(days=rng.randint(0, 150))
                  if "gaps" in active:
                      when = start + timedelta(days=rng.choice([0, 3, 100, 104, 330]))
                  kind, amount = rng.choice(KINDS), rng.choice([10, 20, 30, rng.randint(1, 90)])
                  if "nulls" in active and rng.random() < 0.4:
                      amount = None
                  if "twins" in active and truth and rng.random() < 0.5:
                      when, kind, amount = rng.choice(truth)
                  shown = when.strftime("%d.%m.%Y") if "forms" in active and rng.random() < 0.5 else when.isoformat()
                  rows.append([number, shown, kind, amount])
                  if "twins" not in RULES or (when, kind, amount) not in truth:
                      truth.append((when, kind, amount))
              months = {}
              for when, kind, amount in truth:
                  if "weekdays" not in RULES or when.isoweekday() < ${weekend ? 6 : 7}:
                      months.setdefault((when.year, when.month), []).append((kind, ${fallback} if amount is None else amount))
              wanted, before = [], None
              if months:
                  year, month = min(months)
                  while (year, month) <= max(months):
                      of = months.get((year, month), [])
                      if of or "gaps" in RULES:
                          total = sum(amount for _, amount in of)
                          row = [f"{year}-{month:02}", len(of), total]
                          if "change" in RULES:
                              row.append(None if before is None else total - before)
                          if "best" in RULES:
                              sums = {kind: sum(amount for name, amount in of if name == kind) for kind, _ in of}
                              row.append(min(sums, key=lambda kind: (-sums[kind], kind)) if of else None)
                          wanted.append(row)
                          before = total
                      year, month = (year, month + 1) if month < 12 else (year + 1, 1)
              return {"${table}": rows}, wanted[::-1]
        `,
      ),
    app: () => sqlApp(schema, { [table]: sample }),
    look: sqlLook,
    attempt: sqlAttempt,
  };
}
