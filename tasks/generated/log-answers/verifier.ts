import { text } from "../text.ts";
import type { LogFormat, LogQuestion } from "./parts.ts";

/** What one task of the family is about. */
export interface LogShape {
  readonly program: string;
  readonly log: string;
  readonly format: LogFormat;
  readonly questions: readonly LogQuestion[];
  readonly probe: string;
  readonly rules: readonly string[];
  /** Seconds between two requests of a client that may still be of one session. */
  readonly gap: number;
  /** Told which question to answer, and given a folder. */
  readonly hard: boolean;
}

/** Draws entries, writes them down with the traps asked for, and answers the questions from what was drawn, never by parsing. */
export function logVerifier({ format, questions, rules, program, probe, log, gap, hard }: LogShape, checks: readonly string[]): string {
  return text`
    import gzip
    from collections import Counter, defaultdict
    from datetime import datetime, timedelta, timezone

    RULES = ${JSON.stringify(rules)}
    QUESTIONS = {}
    CLIENTS = ["10.0.0.10", "10.0.0.9", "10.0.0.11", "192.168.7.1", "10.0.1.2"]
    PATHS = ["/", "/cart", "/search", "/item/1", "/item/22", "${probe}/x", "${probe}"]
    ${questions.map(({ name, body }) => `\n\ndef ${name}(entries):\n    ${body.trimEnd().replaceAll("\n", "\n    ")}\n\n\nQUESTIONS["${name}"] = ${name}`).join("\n")}


    METHODS = ["GET", "POST", "HEAD"]


    def line(entry, path, zone, method="GET"):
        time, client, _, status, ms = entry
        at = datetime.fromtimestamp(time, timezone(timedelta(minutes=zone)))
        ${format.render}


    def drawn(active):
        """Lines with the traps that are active, the entries that count, and how many lines are broken."""
        blocks, entries, broken = [], [], 0
        written = set()
        time = 1767600000 + rng.randint(0, 86400)
        zones = [0, 120, -330, 540] if "zones" in active else [0]
        for _ in range(rng.choice([0, 1, *range(10, 60)])):
            time += rng.choice([0, 1, 60, 300, 600, 900, 1200, 1800, 1801, 3600, rng.randint(0, 2400)])
            entry = (time, rng.choice(CLIENTS), rng.choice(PATHS), rng.choice([200, 200, 304, 399, 400, 404, 499, 500, 503]), rng.choice([7, 40, 40, rng.randint(1, 3000)]))
            again = "repeated" in active and rng.random() < 0.3
            if again:
                entry = (*entry[:4], rng.randint(4000, 9000))
            query = "?q=" + str(rng.randint(1, 9)) if "queries" in active and rng.random() < 0.4 else ""
            method, zone = rng.choice(METHODS), rng.choice(zones)
            shown = line(entry, entry[2] + query, zone, method)
            lines = [shown]
            if again:
                # Once more, and in a line that says the same but is not equal: that one counts.
                other = rng.choice(["method", *["zone"] * ("zones" in active), *["query"] * ("queries" in active)])
                alike = line(
                    entry,
                    entry[2] + (f"?q={rng.randint(10, 19)}" if other == "query" else query),
                    rng.choice([one for one in zones if one != zone]) if other == "zone" else zone,
                    rng.choice([one for one in METHODS if one != method]) if other == "method" else method,
                )
                blocks += [shown], [alike]
            for one in [shown, alike] if again else [shown]:
                if "repeated" not in RULES or one not in written:
                    entries.append(entry)
                written.add(one)
            if "broken" in active and rng.random() < 0.3:
                other = line((time, "10.0.0.66", "/lost", 500, 9999), "/lost", 0)
                lost = rng.choice([other[: rng.randint(3, other.rindex("500") - 1)], other.replace(" 500 ", " - ").replace("=500 ", "=- "), ""])
                times = rng.choice([1, 1, 2])
                lines += [lost] * times
                broken += (lost != "") * times
            if "continued" in active and rng.random() < 0.5:
                more = line((time + 4000, rng.choice(CLIENTS), "/inner", 500, 8888), "/inner", 0)
                lines += rng.choice(["  ", "\t"]) + rng.choice([more, more, "at handler (app.js:12)", ""]),
            blocks.append(lines)
        rng.shuffle(blocks)
        lines = [line for block in blocks for line in block]
        return lines, [entry for entry in entries if entry[2] != "${probe}"], broken


    def bare(entries):
        """Lines without any trap, the entries that count, and no broken ones."""
        return [line(entry, entry[2], 0) for entry in entries], [entry for entry in entries if entry[2] != "${probe}"], 0


    def compare(active, names=None, given=None):
        lines, entries, broken = given or drawn(active)
        for name in names or QUESTIONS:
            wanted = QUESTIONS[name](entries)${rules.includes("skipped") ? ' + [f"skipped {broken}"]' : ""}
            ${hard ? `got = output(["python3", "${program}", name, folder_of(lines, active)])` : `got = output(["python3", "${program}", write("some.log", "".join(f"{line}\\n" for line in lines))])`}
            same(got.splitlines(), wanted, f"{name} with {', '.join(sorted(active)) or 'nothing special'}")
    ${
      hard
        ? text`


            def folder_of(lines, active):
                folder = scratch()
                parts = rng.choice([2, 4, 11, 12]) if "rotated" in active else 1
                size = len(lines) // parts + 1
                for i in range(parts):
                    content = "".join(f"{line}\n" for line in lines[i * size : (i + 1) * size])
                    number = parts - 1 - i
                    name = "${log}" + (f".{number}" if number else "")
                    if number and rng.random() < 0.5:
                        with gzip.open(write(name + ".gz", "", folder), "wb") as file:
                            file.write(content.encode())
                    else:
                        write(name, content, folder)
                if "rotated" in active:
                    for other in ["${log}.bak", "old-${log}", "error.log", "${log}.1.txt"]:
                        write(other, "".join(f"{line}\n" for line in lines), folder)
                return share(folder)
          `
        : ""
    }
    ${checks
      .map((name) =>
        questions.some((question) => question.name === name)
          ? text`


              @check("${name}")
              def _():
                  for _ in range(4):
                      compare(set(), ["${name}"])
                  # Nothing, nothing but probes, and such as are equal in all but one thing, in no order.
                  compare(set(), ["${name}"], bare([]))
                  compare(set(), ["${name}"], bare([(1767600000, CLIENTS[0], "${probe}", 500, 7)]))
                  level = [(1767600000 + turn * ${gap}, client, path, status, 40) for turn, status in enumerate([200, 400, 500]) for client in CLIENTS for path in PATHS[:5]]
                  rng.shuffle(level)
                  compare(set(), ["${name}"], bare(level))
            `
          : text`


              @check("${name}")
              def _():
                  for _ in range(3):
                      compare({"${name}"${name === "skipped" ? ', "broken"' : ""}})
            `,
      )
      .join("\n\n")}


    @check("together")
    def _():
        for _ in range(${hard ? 8 : 4}):
            compare(set(RULES))
  `;
}
