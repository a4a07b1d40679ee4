import type { Draw } from "../draw.ts";
import type { RuleBook } from "../rule-book.ts";
import { dense, text } from "../text.ts";
import { sqlApp, sqlAttempt, sqlCompare, sqlIntro, sqlLook, type Cell } from "./frame.ts";

/** One table month by month. */
export function months(d: Draw): RuleBook {
  const [table, kind, kinds] = d.pick([["booking", "account", ["rent", "food", "travel", "books"]], ["harvest", "crop", ["rye", "oats", "beets", "hops"]], ["trip", "driver", ["ada", "ivo", "olga", "nils"]], ["repair", "part", ["brake", "lamp", "wheel", "chain"]]] as const); // prettier-ignore
  const [day, amount] = [d.pick(["day", "date", "done_on"]), d.pick(["amount", "value", "units"])];
  const fallback = d.int(3, 9);
  const weekend = d.chance(0.5);
  const schema = `CREATE TABLE ${table} (id INTEGER PRIMARY KEY, ${day} TEXT NOT NULL, ${kind} TEXT NOT NULL, ${amount} INTEGER);`;
  const simple = Array.from(
    { length: d.int(8, 12) },
    (_, i) => [i + 1, `2026-0${d.int(1, 4)}-${String(d.int(10, 28))}`, d.pick(kinds), d.int(1, 80)] as const,
  );
  const sample = (asks: (rule: string) => boolean): Cell[][] => {
    const rows = simple.map(([id, when, of, worth], i): Cell[] => [
      id,
      asks("forms") && i % 4 === 1 ? when.split("-").reverse().join(".") : when,
      asks("spelled") && i % 4 === 3 ? `${of.toUpperCase()} ` : of,
      asks("nulls") && i % 4 === 2 ? null : worth,
    ]);
    return asks("twins") ? [...rows, ...rows.slice(0, 1).map((row) => [rows.length + 1, ...row.slice(1)])] : rows;
  };
  const that = (asks: (rule: string) => boolean): string => (asks("weekdays") ? " that count" : "");
  return {
    file: "query.sql",
    intro: sqlIntro(`It sums up the table \`${table}\` by month.`),
    base: [
      {
        name: "shape",
        asked: (asks) =>
          `There is one row for each month with rows${that(asks)}. Its first column is the month, written like \`2026-03\`; its second one how many such rows it has; its third one the sum of their \`${amount}\`.`,
        mistake: [`substr(${day}, 1, 7)`, `substr(${day}, 6, 2)`],
      },
      { name: "order", asked: "The latest month comes first.", mistake: ["ORDER BY month DESC", "ORDER BY month"] },
    ],
    more: [
      {
        name: "nulls",
        asked: `Where \`${amount}\` is NULL, it is taken to be ${fallback}.`,
        mistake: [`COALESCE(${amount}, ${fallback})`, amount],
      },
      {
        name: "forms",
        asked: `In some rows \`${day}\` is written like \`31.12.2025\` instead of \`2025-12-31\`.`,
        mistake: [`substr(${day}, 4, 2) || '-' || substr(${day}, 1, 2)`, `substr(${day}, 1, 2) || '-' || substr(${day}, 4, 2)`],
      },
      {
        name: "twins",
        asked: (asks) =>
          `Several rows of the same day with the same \`${kind}\` and the same \`${amount}\`${asks("nulls") ? " (two NULLs are the same, NULL and a number are not)" : ""} count once.`,
        mistake: ["SELECT DISTINCT", "SELECT"],
        half: {
          "null-is-its-number": { swap: [`AS kind, ${amount}`, `AS kind, COALESCE(${amount}, ${fallback}) AS ${amount}`], beside: "nulls" },
        },
      },
      {
        name: "weekdays",
        asked: weekend ? "Rows of Saturdays and Sundays do not count." : "Rows of Sundays do not count.",
        mistake: [weekend ? "NOT IN ('0', '6')" : "<> '0'", weekend ? "NOT IN ('6', '7')" : "<> '7'"],
      },
      {
        name: "gaps",
        asked: "The months without such rows that lie between the first and the last of these months have a row as well, with 0 and 0.",
        mistake: ["SELECT MIN(month) AS month", "SELECT substr(MIN(month), 1, 4) || '-01' AS month"],
        half: {
          "from-the-first-row-of-all": {
            swap: [`MAX(month) AS latest FROM counted`, `(SELECT MAX(substr(${day}, 1, 7)) FROM clean) AS latest FROM counted`],
            beside: "weekdays",
          },
        },
        hard: true,
      },
      {
        name: "change",
        asked:
          "There is a fourth column, `change`: the sum of this month minus that of the month whose row comes before it in time; it is NULL in the earliest one.",
        mistake: ["LAG(total) OVER (ORDER BY month)", "LEAD(total) OVER (ORDER BY month)"],
        hard: true,
      },
      {
        name: "so-far",
        asked: (asks) =>
          `There is a ${asks("change") ? "fifth" : "fourth"} column, \`so_far\`: the sum of all months of the same year up to and with this one.`,
        mistake: ["PARTITION BY substr(month, 1, 4) ORDER BY month", "ORDER BY month"],
        hard: true,
      },
      {
        name: "best",
        asked: (asks) =>
          `There is a last column, \`best\`: the \`${kind}\` with the largest sum in this month; where several have the largest, the first of them in alphabetical order${asks("gaps") ? "; NULL in a month without rows" : ""}${asks("gaps") ? that(asks) : ""}.`,
        mistake: ["ORDER BY SUM(c.amount) DESC, c.kind", "ORDER BY MAX(c.amount) DESC, c.kind"],
        half: { "takes-the-last-of-equal-ones": { swap: ["DESC, c.kind LIMIT 1", "DESC, c.kind DESC LIMIT 1"] } },
        hard: true,
      },
      {
        name: "spelled",
        asked: `The \`${kind}\` of a row may be written in capitals, and with spaces around it; it is the same ${kind}, and is given in small letters without the spaces.`,
        mistake: [`LOWER(TRIM(${kind}))`, kind],
        half: { "only-writes-small": { swap: [`LOWER(TRIM(${kind}))`, `LOWER(${kind})`] } },
        hard: true,
      },
    ],
    spare: ["nulls", "forms", "twins", "weekdays", "gaps", "change", "so-far", "spelled"],
    source: (asks) =>
      dense(text`
      WITH RECURSIVE clean AS (
        ${asks("twins") ? "SELECT DISTINCT" : "SELECT"}
          ${asks("forms") ? `CASE WHEN ${day} LIKE '__.__.____' THEN substr(${day}, 7, 4) || '-' || substr(${day}, 4, 2) || '-' || substr(${day}, 1, 2) ELSE ${day} END AS ${day},` : `${day},`}
          ${asks("spelled") ? `LOWER(TRIM(${kind}))` : kind} AS kind, ${amount}${asks("twins") ? "" : ", id"}
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
        ${asks("so-far") ? ", SUM(total) OVER (PARTITION BY substr(month, 1, 4) ORDER BY month) AS so_far" : ""}
        ${asks("best") ? ", (SELECT c.kind FROM counted AS c WHERE c.month = t.month GROUP BY c.kind ORDER BY SUM(c.amount) DESC, c.kind LIMIT 1) AS best" : ""}
      FROM totals AS t
      ORDER BY month DESC
    `),
    compare: (asks) =>
      sqlCompare(
        schema,
        [null, null, null, ...[["change", "change"], ["so-far", "so_far"], ["best", "best"]].flatMap(([rule = "", column = ""]) => (asks(rule) ? [column] : []))], // prettier-ignore
        text`
          from datetime import date, timedelta

          KINDS = ${JSON.stringify(kinds)}


          empty = itertools.cycle([False, True, False])


          def drawn(active):
              start = date(2025, rng.choice([10, 11, 12]), rng.randint(1, 28))
              while start.weekday() > 2:
                  start += timedelta(days=1)
              rows, truth = [], []

              def put(when, kind, amount):
                  shown = when.strftime("%d.%m.%Y") if "forms" in RULES and active & {"forms", "twins"} and rng.random() < 0.5 else when.isoformat()
                  said = rng.choice([kind, kind.upper(), f" {kind}", f"{kind.title()} "]) if "spelled" in RULES and active & {"spelled", "twins"} else kind
                  rows.append([len(rows) + 1, shown, said, amount])
                  if "twins" not in RULES or (when, kind, amount) not in truth:
                      truth.append((when, kind, amount))

              for _ in range(0 if active == {"shape"} and next(empty) else rng.randint(8, 40)):
                  when = start + timedelta(days=rng.randint(0, 150))
                  if "gaps" in active:
                      when = start + timedelta(days=rng.choice([0, 3, 100, 104, 330]))
                  kind, amount = rng.choice(KINDS), rng.choice([10, 20, 30, rng.randint(1, 90)])
                  if "nulls" in active and rng.random() < 0.4:
                      amount = None
                  if "twins" in active and truth and rng.random() < 0.5:
                      when, kind, amount = rng.choice(truth)
                  put(when, kind, amount)
              one, other = rng.sample(KINDS, 2)
              if "twins" in active:
                  # Twins in all forms, and those that are none: of another day, another kind, with another amount.
                  for when, kind in [(start, one), (start, one), (start, one), (start, one), (start, other), (start + timedelta(days=1), one)]:
                      put(when, kind, 77)
                  for amount in [None, None, ${fallback}, ${fallback}] if "nulls" in RULES else []:
                      put(start, other, amount)
              if "gaps" in active and "weekdays" in RULES:
                  # The first and the last of all rows are of a Sunday.
                  put(start - timedelta(days=98 + start.isoweekday()), one, 5)
                  put(start + timedelta(days=700 - start.isoweekday()), one, 5)
              if "best" in active:
                  # Two of the same sum, which have to be told by their names.
                  for kind, amount in [(one, 50), (other, 20), (other, 30)]:
                      put(start + timedelta(days=420), kind, amount)
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
                          if "so-far" in RULES:
                              row.append(sum(amount for (other, number), of in months.items() if other == year and number <= month for _, amount in of))
                          if "best" in RULES:
                              sums = {kind: sum(amount for name, amount in of if name == kind) for kind, _ in of}
                              row.append(min(sums, key=lambda kind: (-sums[kind], kind)) if of else None)
                          wanted.append(row)
                          before = total
                      year, month = (year, month + 1) if month < 12 else (year + 1, 1)
              return {"${table}": rows}, wanted[::-1]
        `,
      ),
    app: (asks) => sqlApp(schema, { [table]: sample(asks) }),
    look: sqlLook,
    attempt: sqlAttempt,
  };
}
