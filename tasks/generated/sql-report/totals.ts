import type { Draw } from "../draw.ts";
import type { RuleBook } from "../rule-book.ts";
import { an, text } from "../text.ts";
import { people } from "../words.ts";
import { sqlApp, sqlAttempt, sqlCompare, sqlIntro, sqlLook } from "./frame.ts";

/** Counts and sums for each row of one table over the rows of another. */
export function totals(d: Draw): RuleBook {
  const [owner, deal, back] = d.pick([["customer", "invoice", "refund"], ["member", "loan", "waiver"], ["seller", "sale", "rebate"], ["donor", "gift", "repayment"]] as const); // prettier-ignore
  const amount = d.pick(["amount", "euros", "value"]);
  const [state, voided] = [d.pick(["state", "status"]), d.pick(["void", "draft", "cancelled"])];
  const [fallback, month, limit] = [d.int(5, 20), d.int(2, 8), d.int(2, 3)];
  const [first, next] = [`2026-0${month}-01`, `2026-0${month + 1}-01`];
  const inMonth = (own: number): string => `${first.slice(0, 8)}${String(own).padStart(2, "0")}`;
  const schema = (asks: (rule: string) => boolean): string => text`
    CREATE TABLE ${owner} (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE ${deal} (id INTEGER PRIMARY KEY, ${owner}_id INTEGER, ${amount} INTEGER, ${state} TEXT, day TEXT NOT NULL${asks("repeated") ? ", ref TEXT" : ""});
    ${asks("backs") ? `CREATE TABLE ${back} (id INTEGER PRIMARY KEY, ${deal}_id INTEGER NOT NULL, ${amount} INTEGER NOT NULL);` : ""}
  `;
  const sample = { [owner]: d.some(people, 4).map((name, i) => [i + 1, name]) };
  const deals = Array.from({ length: d.int(6, 10) }, (_, i) => [
    i + 1,
    d.int(1, 3),
    d.int(1, 90),
    d.pick(["ok", "ok", voided]),
    inMonth(d.int(1, 28)),
  ]);
  return {
    file: "query.sql",
    intro: sqlIntro(`It reports on the ${deal}s of each ${owner}.`),
    base: [
      {
        name: "shape",
        asked: `There is one row for each ${owner}, with three columns: \`name\`; \`number\`, how many ${deal}s that count this ${owner} has; \`total\`, the sum of their \`${amount}\`.`,
        mistake: ["SUM(n.amount)", "MAX(n.amount)"],
      },
      { name: "idle", asked: `A ${owner} without any that count has a row as well, with 0 and 0.`, mistake: ["LEFT JOIN", "JOIN"] },
      {
        name: "order",
        asked: "The largest total comes first; equal totals are sorted by name.",
        mistake: ["ORDER BY total DESC, name", "ORDER BY name"],
      },
    ],
    more: [
      {
        name: "nulls",
        asked: `Where \`${amount}\` of ${an(deal)} is NULL, it is ${fallback}.`,
        mistake: [`COALESCE(c.${amount}, ${fallback})`, `c.${amount}`],
      },
      {
        name: "voided",
        asked: `No ${deal} whose \`${state}\` is \`${voided}\` counts; one whose \`${state}\` is NULL does.`,
        mistake: [`(c.${state} IS NULL OR c.${state} <> '${voided}')`, `c.${state} <> '${voided}'`],
      },
      {
        name: "month",
        asked: `Only ${deal}s of the month 2026-0${month} count; \`day\` is a text like \`${inMonth(9)}\` or, with a time, \`${inMonth(28)} 23:30\`.`,
        mistake: [`c.day < '${next}'`, `c.day <= '${inMonth(28)}'`],
      },
      {
        name: "backs",
        asked: `From what ${an(deal)} brings, the \`${amount}\` of every ${back} for it (\`${deal}_id\`) is taken away; there may be several for one, and a ${back} for ${an(deal)} that does not count means nothing.`,
        mistake: [`SELECT SUM(r.${amount})`, `SELECT MAX(r.${amount})`],
      },
      {
        name: "repeated",
        asked: `Several ${deal}s with the same \`ref\` are one that was written down again: only the one with the largest id may count. A \`ref\` that is NULL is not the same as any other.`,
        mistake: ["later.id > c.id", "later.id < c.id"],
      },
      {
        name: "namesakes",
        asked: `All ${owner}s with equal names share one row.`,
        mistake: ["GROUP BY o.name", "GROUP BY o.id"],
        hard: true,
      },
      {
        name: "strays",
        asked: `The ${deal}s that count and whose \`${owner}_id\` is NULL, or is not the id of any ${owner}, have a row with the name \`(none)\`; it is there only where there are any.`,
        mistake: [`${owner}_id IS NULL OR`, ""],
        hard: true,
      },
      {
        name: "top",
        asked: `Only those rows are there than which fewer than ${limit} others have a larger total: the first ${limit}, and whatever has the same total as the last of them.`,
        mistake: ["more.total > t.total", "more.total >= t.total"],
        hard: true,
      },
    ],
    source: (asks) => text`
      WITH counted AS (
        SELECT c.id, c.${owner}_id, ${asks("nulls") ? `COALESCE(c.${amount}, ${fallback})` : `c.${amount}`} AS amount
        FROM ${deal} AS c
        WHERE TRUE
          ${asks("voided") ? `AND (c.${state} IS NULL OR c.${state} <> '${voided}')` : ""}
          ${asks("month") ? `AND c.day >= '${first}' AND c.day < '${next}'` : ""}
          ${asks("repeated") ? `AND NOT EXISTS (SELECT 1 FROM ${deal} AS later WHERE later.ref = c.ref AND later.id > c.id)` : ""}
      ), net AS (
        SELECT ${owner}_id, amount ${asks("backs") ? `- COALESCE((SELECT SUM(r.${amount}) FROM ${back} AS r WHERE r.${deal}_id = counted.id), 0) AS amount` : ""}
        FROM counted
      ), t AS (
        SELECT o.name, COUNT(n.amount) AS number, COALESCE(SUM(n.amount), 0) AS total
        FROM ${owner} AS o LEFT JOIN net AS n ON n.${owner}_id = o.id
        ${asks("namesakes") ? "GROUP BY o.name" : "GROUP BY o.id"}
        ${asks("strays") ? `UNION ALL\nSELECT * FROM (SELECT '(none)', COUNT(*) AS number, SUM(amount) FROM net WHERE ${owner}_id IS NULL OR ${owner}_id NOT IN (SELECT id FROM ${owner})) WHERE number > 0` : ""}
      )
      SELECT name, number, total
      FROM t
      ${asks("top") ? `WHERE (SELECT COUNT(*) FROM t AS more WHERE more.total > t.total) < ${limit}` : ""}
      ORDER BY total DESC, name
    `,
    compare: (asks) =>
      sqlCompare(
        schema(asks),
        text`
          NAMES = ${JSON.stringify(people)}


          def drawn(active):
              names = rng.sample(NAMES, rng.randint(4, 7))
              if "namesakes" in active:
                  names += names[:2]
              owners = list(enumerate(names, 3))
              idle = {rng.choice(names)}
              if active == {"idle"}:
                  idle = set(names[1:])
              deals, backs, truth = [], [], {}
              for number in range(1, rng.randint(10, 30)):
                  owner, name = rng.choice([pair for pair in owners if pair[1] not in idle])
                  if "strays" in active and rng.random() < 0.3:
                      owner, name = rng.choice([None, 99]), "(none)"
                  amount = rng.choice([10, 20, 20, rng.randint(1, 60)])
                  row = [number, owner, amount, rng.choice(["ok", "open"]), f"${first.slice(0, 8)}{rng.randint(1, 28):02}"]
                  counts = True
                  if "nulls" in active and rng.random() < 0.4:
                      row[2], amount = None, ${fallback}
                  if "voided" in active and rng.random() < 0.5:
                      row[3] = rng.choice(["${voided}", None])
                      counts = row[3] is None
                  if "month" in active and (active == {"month"} or rng.random() < 0.6):
                      row[4], counts = rng.choice([("${first}", counts), ("${first} 00:00", counts), ("${inMonth(28)} 23:59", counts), ("${next}", False), ("2026-0${month - 1}-28 23:59", False), ("2025-0${month}-10", False)])
                  if "repeated" in RULES:
                      row.append(rng.choice([None, "a", "b", "c", "d"]) if "repeated" in active else None)
                  for _ in range(rng.choice([0, 0, 1, 2]) if "backs" in active else 0):
                      part = rng.randint(1, 9)
                      backs.append([len(backs) + 1, number, part])
                      amount -= part
                  deals.append(row)
                  key = row[5] if len(row) > 5 and row[5] else number
                  truth[key] = (name, amount) if counts else None
              kept = list(filter(None, truth.values()))
              tables = {"${owner}": owners, "${deal}": deals}
              if "backs" in RULES:
                  tables["${back}"] = backs
              rows = [(name, sum(of == name for of, _ in kept), sum(amount for of, amount in kept if of == name)) for name in [*set(names), "(none)"]]
              rows = [row for row in rows if row[0] != "(none)" or row[1]]
              if "top" in RULES:
                  rows = [row for row in rows if sum(other[2] > row[2] for other in rows) < ${limit}]
              if "top" in active and rng.random() < 0.6:
                  return level(tables, owners, rows)
              return tables, sorted(rows, key=lambda row: (-row[2], row[0]))


          def level(tables, owners, rows):
              """The case of equal totals: every owner has one deal of the same amount."""
              tables["${deal}"] = [[number, owner, 30, "ok", "${inMonth(9)}", None][: len(tables["${deal}"][0])] for number, (owner, _) in enumerate(owners, 1)]
              if "${back}" in tables:
                  tables["${back}"] = []
              names = [name for _, name in owners]
              rows = [(name, names.count(name), 30 * names.count(name)) for name in set(names)]
              rows = [row for row in rows if sum(other[2] > row[2] for other in rows) < ${limit}]
              return tables, sorted(rows, key=lambda row: (-row[2], row[0]))
        `,
      ),
    app: (asks) =>
      sqlApp(schema(asks), { ...sample, [deal]: deals.map((row) => (asks("repeated") ? [...row, `r${row[0] ?? 0}`] : row)), ...(asks("backs") && { [back]: [[1, 2, 1]] }) }), // prettier-ignore
    look: sqlLook,
    attempt: sqlAttempt,
  };
}
