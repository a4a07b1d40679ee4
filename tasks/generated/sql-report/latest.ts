import type { Draw } from "../draw.ts";
import type { RuleBook } from "../rule-book.ts";
import { dense, text } from "../text.ts";
import { sqlApp, sqlAttempt, sqlCompare, sqlIntro, sqlLook, type Cell } from "./frame.ts";

/** The latest of many rows for each thing, and what led to it. */
export function latest(d: Draw): RuleBook {
  const [thing, code, event] = d.pick([["parcel", "code", "scan"], ["ticket", "title", "step"], ["machine", "label", "report"], ["plot", "place", "visit"]] as const); // prettier-ignore
  const [at, status] = [d.pick(["at", "moment", "noted"]), d.pick(["status", "phase", "finding"])];
  const stages = d.some(["new", "moving", "waiting", "held", "open", "checked"], 4);
  const gone = d.pick(["gone", "done", "closed"]);
  const undoes = d.pick(["undoes", "corrects", "instead_of"]);
  const schema = (asks: (rule: string) => boolean): string => text`
    CREATE TABLE ${thing} (id INTEGER PRIMARY KEY, ${code} TEXT NOT NULL UNIQUE);
    CREATE TABLE ${event} (id INTEGER PRIMARY KEY, ${thing}_id INTEGER NOT NULL, ${at} TEXT, ${status} TEXT${asks("undone") ? `, ${undoes} INTEGER` : ""});
  `;
  const things = ["K-7", "A-1", "C-3"].map((label, i) => [i + 1, label]);
  const events = Array.from({ length: d.int(5, 9) }, (_, i) => [i + 1, 1 + (i % 3), `2026-01-${String(d.int(10, 28))} 09:${String(d.int(10, 59))}`, d.pick(stages)] as const); // prettier-ignore
  const sample = (asks: (rule: string) => boolean): Record<string, Cell[][]> => ({
    [thing]: asks("never") ? [...things, [4, "B-2"]] : things,
    [event]: events.map(([id, of, moment, stage], i) => [
      id,
      of,
      asks("undated") && i === 1 ? null : asks("forms") && i === 2 ? moment.replace(" ", "T") : moment,
      asks("silent") && i === 3 ? null : asks("spelling") && i === 4 ? ` ${stage.toUpperCase()}` : stage,
      ...(asks("undone") ? [i === 4 ? 1 : null] : []),
    ]),
  });
  const that = (asks: (rule: string) => boolean): string => (["undated", "silent", "undone"].some(asks) ? " that count" : "");
  return {
    file: "query.sql",
    intro: sqlIntro(`It tells the present ${status} of each ${thing}. \`${at}\` is a text like \`2026-01-05 09:30\`.`),
    base: [
      {
        name: "shape",
        asked: (asks) =>
          `There is one row for each ${thing} with any ${event}s${that(asks)}. Its first column is the \`${code}\`, its second one the \`${status}\` of the latest of these ${event}s by \`${at}\`.`,
        mistake: ["PARTITION BY thing ORDER BY moment DESC, id DESC", "PARTITION BY thing ORDER BY id DESC"],
      },
      {
        name: "ties",
        asked: `Of several ${event}s at the same time the one with the largest id is the latest.`,
        mistake: ["moment DESC, id DESC", "moment DESC, id"],
      },
      { name: "order", asked: `The rows are sorted by \`${code}\`.`, mistake: [`ORDER BY i.${code}`, "ORDER BY i.id"] },
    ],
    more: [
      {
        name: "never",
        asked: (asks) => `A ${thing} without any ${event}s${that(asks)} has a row as well; its second column is NULL.`,
        mistake: ["LEFT JOIN", "JOIN"],
      },
      { name: "undated", asked: `A ${event} whose \`${at}\` is NULL does not count.`, mistake: [`${at} IS NOT NULL`, "TRUE"] },
      { name: "silent", asked: `A ${event} whose \`${status}\` is NULL does not count.`, mistake: [`${status} IS NOT NULL`, "TRUE"] },
      {
        name: "gone",
        asked: `A ${thing} whose present ${status} is \`${gone}\` has no row, whatever it was before; one that was \`${gone}\` and is something else now has its row.`,
        mistake: [
          `FROM ${thing} AS i`,
          `FROM (SELECT * FROM ${thing} WHERE id NOT IN (SELECT ${thing}_id FROM ${event} WHERE ${status} = '${gone}')) AS i`,
        ],
      },
      {
        name: "forms",
        asked: `In some rows there is a \`T\` in \`${at}\` between the day and the time instead of the space; it means the same.`,
        mistake: [`REPLACE(${at}, 'T', ' ')`, at],
      },
      {
        name: "undone",
        asked: `Where \`${undoes}\` is not NULL, it is the id of another ${event}, which then does not count, whether or not the one that says so does.`,
        mistake: [` WHERE ${undoes} IS NOT NULL`, ""],
        hard: true,
      },
      {
        name: "spelling",
        asked: `The \`${status}\` of a row may be written in capitals, and with spaces around it; it is the same ${status}, and is given in small letters without the spaces.`,
        mistake: [`LOWER(TRIM(${status}))`, status],
        half: { "only-writes-small": { swap: [`LOWER(TRIM(${status}))`, `LOWER(${status})`] } },
        hard: true,
      },
      {
        name: "changes",
        asked: (asks) =>
          `There is a third column, \`changes\`: how many of these ${event}s have another ${status} than the one right before them in time (the first one has none before it).${asks("never") ? ` It is 0 where there are no such ${event}s.` : ""}`,
        mistake: ["COUNT(*)", "COUNT(DISTINCT c.status)"],
        hard: true,
      },
      {
        name: "since",
        asked: (asks) =>
          `There is a ${asks("changes") ? "fourth" : "third"} column, \`since\`: the id of the earliest of these ${event}s from which on the ${status} has stayed what it is now.${asks("never") ? ` It is NULL where there are no such ${event}s.` : ""}`,
        mistake: ["ORDER BY c.place LIMIT 1", "ORDER BY c.place DESC LIMIT 1"],
        hard: true,
      },
    ],
    spare: ["never", "undated", "silent", "gone", "forms", "undone", "spelling", "changes", "since"],
    source: (asks) =>
      dense(text`
      WITH counted AS (
        SELECT id, ${thing}_id AS thing, ${asks("spelling") ? `LOWER(TRIM(${status}))` : status} AS status, ${asks("forms") ? `REPLACE(${at}, 'T', ' ')` : at} AS moment
        FROM ${event}
        WHERE TRUE
          ${asks("undated") ? `AND ${at} IS NOT NULL` : ""}
          ${asks("silent") ? `AND ${status} IS NOT NULL` : ""}
          ${asks("undone") ? `AND id NOT IN (SELECT ${undoes} FROM ${event} WHERE ${undoes} IS NOT NULL)` : ""}
      ), ranked AS (
        SELECT *,
          ROW_NUMBER() OVER (PARTITION BY thing ORDER BY moment DESC, id DESC) AS place,
          LAG(status) OVER (PARTITION BY thing ORDER BY moment, id) AS before
        FROM counted
      )
      SELECT i.${code}, r.status
        ${asks("changes") ? ", (SELECT COUNT(*) FROM ranked AS c WHERE c.thing = i.id AND c.before <> c.status) AS changes" : ""}
        ${asks("since") ? ", (SELECT c.id FROM ranked AS c WHERE c.thing = i.id AND c.before IS NOT c.status ORDER BY c.place LIMIT 1) AS since" : ""}
      FROM ${thing} AS i ${asks("never") ? "LEFT JOIN" : "JOIN"} ranked AS r ON r.thing = i.id AND r.place = 1
      ${asks("gone") ? `WHERE r.status IS NOT '${gone}'\nORDER BY i.${code}` : `ORDER BY i.${code}`}
    `),
    compare: (asks) =>
      sqlCompare(
        schema(asks),
        [null, null, ...(asks("changes") ? ["changes"] : []), ...(asks("since") ? ["since"] : [])],
        text`
          STAGES = ${JSON.stringify(stages)}


          def drawn(active):
              labels = rng.sample(["A-1", "A-10", "A-2", "B-7", "C-3", "Z-9", "K-4"], rng.randint(3, 6))
              things = list(enumerate(labels, 1))
              empty = [rng.choice(labels)] if "never" in active else []
              events, truth = [], {label: [] for label in labels}
              ids = rng.sample(range(1, 400), 60)
              for thing, label in things:
                  if label in empty:
                      continue
                  close = rng.random() < 0.5
                  for turn in range(rng.randint(2, 9)):
                      number = ids.pop()
                      day = rng.choice([5, 6] if close else [5, 6, rng.randint(7, 28)])
                      at = f"2026-01-{day:02} {rng.choice(['09:30', '14:05', '16:40'])}"
                      if "ties" in active and rng.random() < 0.7:
                          at = "2026-01-28 14:05"
                      status = rng.choice(STAGES[:3] + (["${gone}"] * 2 if "gone" in active else []))
                      key = (at, number)
                      shown = at.replace(" ", "T") if "forms" in active and rng.random() < 0.5 else at
                      if turn and "undated" in active and rng.random() < 0.3 or "undated" in active and label == labels[0]:
                          shown, key = None, None
                      if turn and "silent" in active and rng.random() < 0.3 or "silent" in active and label == labels[1]:
                          status, key = None, None
                      said = rng.choice([status, status.upper(), f" {status.title()}", f"{status} "]) if status and "spelling" in active else status
                      events.append([number, thing, shown, said])
                      if key:
                          truth[label].append((key, status))
              if "undone" in RULES:
                  undone = [max(happened)[0][1] for happened in truth.values() if "undone" in active and happened and rng.random() < 0.6]
                  for row in events:
                      row.append(undone.pop() if undone and row[0] != undone[-1] and rng.random() < 0.6 else None)
                  out = {row[4] for row in events}
                  truth = {label: [one for one in happened if one[0][1] not in out] for label, happened in truth.items()}
              rows = []
              for label, happened in sorted(truth.items()):
                  happened.sort()
                  course = [status for _, status in happened]
                  if (not course and "never" not in RULES) or (course and course[-1] == "${gone}" and "gone" in RULES):
                      continue
                  row = [label, course[-1] if course else None]
                  if "changes" in RULES:
                      row.append(sum(a != b for a, b in zip(course, course[1:])))
                  if "since" in RULES:
                      begun = len(course) - 1
                      while begun > 0 and course[begun - 1] == course[-1]:
                          begun -= 1
                      row.append(happened[begun][0][1] if course else None)
                  rows.append(row)
              return {"${thing}": things, "${event}": events}, rows
        `,
      ),
    app: (asks) => sqlApp(schema(asks), sample(asks)),
    look: sqlLook,
    attempt: sqlAttempt,
  };
}
