import type { Draw } from "../draw.ts";
import type { RuleBook } from "../rule-book.ts";
import { an, dense, text } from "../text.ts";
import { people } from "../words.ts";
import { sqlApp, sqlAttempt, sqlCompare, sqlIntro, sqlLook, type Cell } from "./frame.ts";

/** Counts and sums for each row of one table over the rows of another. */
export function totals(d: Draw): RuleBook {
  const [owner, deal, back] = d.pick([["customer", "invoice", "refund"], ["member", "loan", "waiver"], ["seller", "sale", "rebate"], ["donor", "gift", "repayment"]] as const); // prettier-ignore
  const amount = d.pick(["amount", "euros", "value"]);
  const [state, voided] = [d.pick(["state", "status"]), d.pick(["void", "draft", "cancelled"])];
  const [fallback, month, limit] = [d.int(5, 20), d.int(2, 8), d.int(2, 3)];
  const [first, next] = [`2026-0${month}-01`, `2026-0${month + 1}-01`];
  const inMonth = (own: number): string => `${first.slice(0, 8)}${String(own).padStart(2, "0")}`;
  const last = inMonth([28, 31, 30, 31, 30, 31, 31][month - 2] ?? 28);
  const into = d.pick(["merged_into", "now_part_of", "taken_over_by"]);
  const schema = (asks: (rule: string) => boolean): string => text`
    CREATE TABLE ${owner} (id INTEGER PRIMARY KEY, name TEXT NOT NULL${asks("merged") ? `, ${into} INTEGER` : ""});
    CREATE TABLE ${deal} (id INTEGER PRIMARY KEY, ${owner}_id INTEGER, ${amount} INTEGER, ${state} TEXT, day TEXT NOT NULL${asks("repeated") ? ", ref TEXT" : ""});
    ${asks("backs") ? `CREATE TABLE ${back} (id INTEGER PRIMARY KEY, ${deal}_id INTEGER NOT NULL, ${amount} INTEGER NOT NULL);` : ""}
  `;
  const owners = d.some(people, 4).map((name, i) => [i + 1, name]);
  const deals = Array.from({ length: d.int(6, 10) }, (_, i) => [
    i + 1,
    d.int(1, 3),
    d.int(1, 90),
    d.pick(["ok", "ok", voided]),
    inMonth(d.int(1, 28)),
  ]);
  const sample = (asks: (rule: string) => boolean): Record<string, Cell[][]> => ({
    [owner]: owners.map((row, i) => [...row, ...(asks("merged") ? [i === 3 ? 2 : null] : [])]),
    [deal]: deals.map(([id = 0, of = 0, worth = 0, ...rest], i) => [
      id,
      asks("strays") && i === 2 ? null : of,
      asks("nulls") && i === 1 ? null : worth,
      ...rest,
      ...(asks("repeated") ? [`r${i === 4 ? 1 : id}`] : []),
    ]),
    ...(asks("backs") && { [back]: [[1, 2, 1]] }),
  });
  return {
    file: "query.sql",
    intro: sqlIntro(`It reports on the ${deal}s of each ${owner}.`),
    base: [
      {
        name: "shape",
        asked: (asks) =>
          `There is one row for each ${owner}, with three columns: \`name\`; \`number\`, how many ${deal}s${that(asks)} this ${owner} has; \`total\`, the sum of their \`${amount}\`.`,
        mistake: ["SUM(n.amount)", "MAX(n.amount)"],
      },
      {
        name: "idle",
        asked: (asks) => `A ${owner} without any ${deal}s${that(asks)} has a row as well, with 0 and 0.`,
        mistake: ["LEFT JOIN net", "JOIN net"],
      },
      {
        name: "order",
        asked: "The largest total comes first; equal totals are sorted by name.",
        mistake: ["ORDER BY total DESC, name", "ORDER BY name"],
      },
    ],
    more: [
      {
        name: "nulls",
        asked: `Where the \`${amount}\` of ${an(deal)} is NULL, it is taken to be ${fallback}.`,
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
        mistake: [`c.day < '${next}'`, `c.day <= '${last}'`],
        half: { "takes-every-year": { swap: [`c.day >= '${first}' AND c.day < '${next}'`, `c.day LIKE '%-0${month}-%'`] } },
      },
      {
        name: "backs",
        asked: `From what ${an(deal)} brings in, the \`${amount}\` of every ${back} for it (\`${deal}_id\`) is subtracted; there may be several for one, and a ${back} for ${an(deal)} that does not count changes nothing.`,
        mistake: [`SELECT SUM(r.${amount})`, `SELECT MAX(r.${amount})`],
      },
      {
        name: "repeated",
        asked: `Several ${deal}s with the same \`ref\` are one that was entered again: only the one with the largest id may count. A \`ref\` that is NULL is not the same as any other.`,
        mistake: ["later.id > c.id", "later.id < c.id"],
        half: {
          "takes-the-latest-that-counts": {
            swap: ["later.id > c.id", `later.id > c.id AND later.${state} IS NOT '${voided}'`],
            beside: "voided",
          },
        },
      },
      {
        name: "merged",
        asked: `Where \`${into}\` is not NULL, it is the id of another ${owner}, in whom this one has been merged, and who may have been merged in another one in turn. Whoever has been merged has no row; the ${deal}s are those of the last in the chain.`,
        mistake: [`ON o.${into} = h.id`, `ON o.${into} = h.id AND h.last = h.id`],
        hard: true,
      },
      {
        name: "namesakes",
        asked: `All ${owner}s with equal names share one row.`,
        mistake: ["GROUP BY o.name", "GROUP BY o.id"],
        hard: true,
      },
      {
        name: "strays",
        asked: (asks) =>
          `The ${deal}s${that(asks)} whose \`${owner}_id\` is NULL, or is not the id of any ${owner}, have a row with the name \`(none)\`; it is there only where there are any.`,
        mistake: ["owner IS NULL OR ", ""],
        hard: true,
      },
      {
        name: "top",
        asked: `A row is left out when ${limit} or more other rows have a larger total: the first ${limit} stay, and with them every row whose total equals that of the last of these.`,
        mistake: ["more.total > t.total", "more.total >= t.total"],
        half: {
          "counts-different-totals": { swap: ["SELECT COUNT(*) FROM t AS more", "SELECT COUNT(DISTINCT more.total) FROM t AS more"] },
        },
        hard: true,
      },
    ],
    spare: ["nulls", "voided", "month", "backs", "repeated", "merged", "namesakes", "strays", "top"],
    source: (asks) =>
      dense(text`
        ${asks("merged") ? `WITH RECURSIVE heir AS (\n  SELECT id, id AS last FROM ${owner} WHERE ${into} IS NULL\n  UNION ALL\n  SELECT o.id, h.last FROM ${owner} AS o JOIN heir AS h ON o.${into} = h.id\n), counted AS (` : "WITH counted AS ("}
          SELECT c.id, c.${owner}_id, ${asks("nulls") ? `COALESCE(c.${amount}, ${fallback})` : `c.${amount}`} AS amount
          FROM ${deal} AS c
          WHERE TRUE
            ${asks("voided") ? `AND (c.${state} IS NULL OR c.${state} <> '${voided}')` : ""}
            ${asks("month") ? `AND c.day >= '${first}' AND c.day < '${next}'` : ""}
            ${asks("repeated") ? `AND NOT EXISTS (SELECT 1 FROM ${deal} AS later WHERE later.ref = c.ref AND later.id > c.id)` : ""}
        ), net AS (
          SELECT
            ${asks("merged") ? `(SELECT last FROM heir WHERE heir.id = ${owner}_id) AS owner,` : `${owner}_id AS owner,`}
            ${asks("backs") ? `amount - COALESCE((SELECT SUM(r.${amount}) FROM ${back} AS r WHERE r.${deal}_id = counted.id), 0) AS amount` : "amount"}
          FROM counted
        ), t AS (
          SELECT o.name, COUNT(n.amount) AS number, COALESCE(SUM(n.amount), 0) AS total
          FROM ${owner} AS o LEFT JOIN net AS n ON n.owner = o.id
          ${asks("merged") ? `WHERE o.${into} IS NULL` : ""}
          ${asks("namesakes") ? "GROUP BY o.name" : "GROUP BY o.id"}
          ${asks("strays") ? `UNION ALL\nSELECT * FROM (SELECT '(none)', COUNT(*) AS number, SUM(amount) FROM net WHERE owner IS NULL OR owner NOT IN (SELECT id FROM ${owner})) WHERE number > 0` : ""}
        )
        SELECT name, number, total
        FROM t
        ${asks("top") ? `WHERE (SELECT COUNT(*) FROM t AS more WHERE more.total > t.total) < ${limit}\nORDER BY total DESC, name` : "ORDER BY total DESC, name"}
      `),
    compare: (asks) =>
      sqlCompare(
        schema(asks),
        ["name", "number", "total"],
        text`
          NAMES = ${JSON.stringify(people)}
          DAYS = [("${first}", True), ("${first} 00:00", True), ("${last}", True), ("${last} 23:59", True), ("${next}", False), ("${next} 00:00", False), ("2026-0${month - 1}-28 23:59", False), ("2025-0${month}-10", False)]
          level = itertools.cycle([True, False, None])


          def drawn(active):
              names = rng.sample(NAMES, rng.randint(6, 8))
              gone = [names.pop() for _ in range(3 if "merged" in active else 0)]
              if "namesakes" in active:
                  names += names[:2]
              ids = rng.sample(range(3, 60), len(names) + len(gone))
              owners = list(zip(ids, names))
              idle = set(names[1:] if active == {"idle"} else rng.sample(names, 1 if "order" not in active else 3 if len(active) == 1 else 2))
              pairs = [pair for pair in owners if pair[1] not in idle]
              rng.shuffle(pairs)
              quiet = pairs[0][0] if len(pairs) > 1 else None
              # One after the other merged in the one before, and the first of them in somebody who is still there.
              into, chain = {}, pairs[-1]
              for number in ids[len(names) :]:
                  into[number] = chain[0]
                  chain = (number, chain[1])
                  pairs.append(chain)
              lost = rng.random() < 0.3
              days = DAYS * 4
              rng.shuffle(days)
              deals, backs, truth = [], [], {}
              for number in range(1, rng.randint(16, 30)):
                  owner, name = pairs[number % len(pairs)]
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
                      row[4], fits = days.pop()
                      counts = counts and fits
                  # Somebody whose rows are all ones that do not count; sometimes those of nobody are, too.
                  if owner == quiet or name == "(none)" and lost:
                      if "voided" in active:
                          row[3], counts = "${voided}", False
                      elif "month" in active:
                          row[4], counts = "${next} 00:00", False
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
              if "top" in active and (equal := next(level)) is not None:
                  # All totals are equal, or there are some of each.
                  worth = {owner: 30 if equal else (90, 90, 60, 60, 30, 30, 10, 10)[turn % 8] for turn, (owner, _) in enumerate(owners)}
                  deals = [[number, owner, worth[owner], "ok", "${inMonth(9)}", None][: len(deals[0])] for number, owner in enumerate(worth, 1)]
                  backs, kept = [], [(name, worth[owner]) for owner, name in owners]
              tables = {"${owner}": owners, "${deal}": deals}
              if "merged" in RULES:
                  tables["${owner}"] = [(owner, name, None) for owner, name in owners] + [(owner, name, into[owner]) for owner, name in zip(into, gone)]
              if "backs" in RULES:
                  tables["${back}"] = backs
              rows = [(name, sum(of == name for of, _ in kept), sum(amount for of, amount in kept if of == name)) for name in [*set(names), "(none)"]]
              rows = [row for row in rows if row[0] != "(none)" or row[1]]
              if "top" in RULES:
                  rows = [row for row in rows if sum(other[2] > row[2] for other in rows) < ${limit}]
              return tables, sorted(rows, key=lambda row: (-row[2], row[0]))
        `,
      ),
    app: (asks) => sqlApp(schema(asks), sample(asks)),
    look: sqlLook,
    attempt: sqlAttempt,
  };
}

/** Whether there is anything that makes one of the rows not count. */
function that(asks: (rule: string) => boolean): string {
  return ["voided", "month", "repeated"].some(asks) ? " that count" : "";
}
