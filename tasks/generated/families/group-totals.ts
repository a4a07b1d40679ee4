import { directions } from "../directions.ts";
import type { Draw } from "../draw.ts";
import type { Family, Level, TaskDraft } from "../family.ts";
import { bash } from "../plan-parts.ts";
import { swap } from "../swap.ts";
import { text, writeFile } from "../text.ts";
import { cities, goods, people, teams } from "../words.ts";

/** Sums a column of a CSV file by another one. The level decides in how many ways the table is unlike a simple one. */
export const groupTotals: Family = {
  name: "group-totals",
  summary: "write a program that sums a CSV column by group; void rows, quoting and spaces are the traps",
  split: "train",
  tags: ["data", "csv", "python"],
  draw,
};

/** What the table is about, and how its report is to look. */
interface Shape {
  readonly program: string;
  readonly group: string;
  readonly amount: string;
  readonly status: string;
  readonly voided: string;
  readonly columns: readonly string[];
  readonly order: "name" | "largest";
}

function draw(d: Draw, level: Level): TaskDraft {
  const [group, names] = d.pick([["city", cities], ["product", goods], ["seller", people], ["team", teams]] as const); // prettier-ignore
  const [amount, status] = [d.pick(["amount", "total", "price", "value"]), d.pick(["status", "state", "kind"])];
  const shape: Shape = {
    program: d.pick(["totals.py", "sums.py", "report.py", "by_group.py"]),
    group,
    amount,
    status,
    voided: d.pick(["void", "cancelled", "test", "duplicate"]),
    columns: d.shuffled([group, amount, status]),
    order: level === "easy" ? "name" : d.pick(["name", "largest"]),
  };
  const { program, voided } = shape;
  const asked = {
    sums: `For each ${group} it prints one line: the ${group}, a space, and the sum of its ${amount}s with two decimals.`,
    order: shape.order === "name" ? `The lines are sorted by ${group}.` : `The largest sum comes first; equal sums are sorted by ${group}.`,
    void: `Rows whose ${status} is \`${voided}\` do not count; a ${group} that has no other rows is not printed.`,
    columns: "The columns may come in any order: go by the header.",
    quotes: `Any value may stand in double quotes, which do not belong to it; a ${group} in double quotes may hold commas.`,
    spaces: `Spaces around a value do not belong to it, and \`${voided}\` may be written in capitals.`,
    signs: `The ${amount} of a return begins with a minus or stands in round brackets: both \`-3.50\` and \`(3.50)\` are taken away.`,
    tables:
      "FILE may hold several tables, one below the other, each with its own header, whose columns may come in another order; they are summed up together.",
  };
  const checks = { easy: ["sums", "order", "void"], medium: ["sums", "order", "void", "columns", "quotes"], hard: Object.keys(asked) }[
    level
  ];
  const source = solution(shape, {}, level === "hard");
  const right = writeFile(program, source);
  const careless = writeFile(
    program,
    level === "hard" ? swap(source, ` and cells["${status}"].lower() != "${voided}"`, "") : solution(shape, { countsVoid: true }),
  );
  const easy = level === "easy";
  const begun = solution(shape, easy && d.chance(0.5) ? { unsorted: true } : { countsVoid: true });
  return {
    instruction: text`
      ${easy ? "Mend" : "Write"} \`${program}\`. Started as \`python3 ${program} FILE\`, it reads a CSV file like \`sales.csv\`: a header, then a sale in each line.

      ${Object.entries(asked)
        .filter(([name]) => checks.includes(name))
        .map(([, sentence]) => `- ${sentence}`)
        .join("\n")}
    `,
    ...(easy && { directions: directions({ [program]: begun }, { [program]: solution(shape, {}) }) }),
    app: { "sales.csv": table(d, shape, d.some(names, 4)), ...(easy && { [program]: begun }) },
    checks: Object.fromEntries(Object.entries(asked).filter(([name]) => checks.includes(name))),
    verify: verifier(shape, checks, names),
    solve: right,
    wrong: {
      "counts-void-rows": careless,
      "order-of-appearance": writeFile(
        program,
        level === "hard" ? source.replace(/sorted\(sums\.items\(\).*\):/, "sums.items():") : solution(shape, { unsorted: true }),
      ),
      ...(easy
        ? { "one-decimal": writeFile(program, swap(solution(shape, {}), ":.2f", ":.1f")) }
        : { "splits-at-commas": writeFile(program, solution(shape, { splits: true })) }),
      ...(level === "hard" && {
        "keeps-the-spaces": writeFile(program, swap(source, "[value.strip() for value in row]", "[*row]")),
        "goes-by-the-first-header": writeFile(program, swap(source, `if "${amount}" in row:`, "if not header:")),
      }),
    },
    plan: {
      steps: [
        { say: "I look at the table first.", calls: [bash("head -n 5 sales.csv; wc -l sales.csv")], check: false },
        { say: "I write the program.", calls: [bash(right)], check: false },
        { say: "I run it on the table.", calls: [bash(`python3 ${program} sales.csv`)], check: true },
      ],
      answer: `\`${program}\` prints the sums; I ran it on \`sales.csv\`.`,
      slip: [{ say: "I write the program.", calls: [bash(careless)], check: false }],
      claims: [program],
    },
  };
}

/** What the agent sees: a simple table, none of the traps of the levels above. */
function table(d: Draw, { columns, group, status, voided }: Shape, names: readonly string[]): string {
  const rows = Array.from({ length: d.int(8, 16) }, () =>
    columns
      .map((column) => {
        if (column === group) return d.pick(names);
        if (column === status) return d.chance(0.2) ? voided : "ok";
        return (d.int(100, 99_999) / 100).toFixed(2);
      })
      .join(","),
  );
  return [columns.join(","), ...rows].join("\n");
}

function solution(
  { group, amount, status, voided, columns, order }: Shape,
  mistake: { countsVoid?: boolean; unsorted?: boolean; splits?: boolean },
  several = false,
): string {
  const sorted = `sorted(sums.items(), key=lambda item: ${order === "name" ? "item[0]" : "(-item[1], item[0])"})`;
  if (several)
    return text`
      import csv
      import sys
      from decimal import Decimal


      def number(written):
          return -Decimal(written[1:-1]) if written.startswith("(") else Decimal(written)


      sums, header = {}, []
      with open(sys.argv[1], newline="") as file:
          for row in csv.reader(file, skipinitialspace=True):
              row = [value.strip() for value in row]
              if "${amount}" in row:
                  header = row
                  continue
              cells = dict(zip(header, row))
              if cells and cells["${status}"].lower() != "${voided}":
                  sums[cells["${group}"]] = sums.get(cells["${group}"], 0) + number(cells["${amount}"])
      for name, total in ${sorted}:
          print(name, f"{total:.2f}")
    `;
  const key = order === "name" ? "item[0]" : "(-item[1], item[0])";
  return text`
    import csv
    import sys
    from decimal import Decimal

    sums = {}
    with open(sys.argv[1], newline="") as file:
        ${
          mistake.splits
            ? text`
                next(file)
                rows = [dict(zip(${JSON.stringify(columns)}, line.rstrip("\n").split(","))) for line in file if line.strip()]
              `
            : "rows = list(csv.DictReader(file, skipinitialspace=True))"
        }
    for row in rows:
        row = {name.strip(): value.strip() for name, value in row.items()}
        ${
          mistake.countsVoid
            ? ""
            : text`
          if row["${status}"].lower() == "${voided}":
              continue
        `
        }
        sums[row["${group}"]] = sums.get(row["${group}"], Decimal(0)) + Decimal(row["${amount}"])
    for name, total in ${mistake.unsorted ? "sums.items()" : `sorted(sums.items(), key=lambda item: ${key})`}:
        print(name, f"{total:.2f}")
  `;
}

/** Every check draws tables of its own, in which only its trap differs from a simple table. */
function verifier(
  { program, columns, group, amount, status, voided, order }: Shape,
  checks: readonly string[],
  names: readonly string[],
): string {
  const body: Readonly<Record<string, string>> = {
    sums: "for _ in range(5):\n    compare(simple())",
    order:
      'compare([[name, 500, "ok"] for name in reversed(NAMES)])\ncompare([[name, 100 * i, "ok"] for i, name in enumerate(sorted(NAMES), 1)])',
    void: `rows = simple()\ncompare(rows + [["nobody", 700, "${voided}"]] + [[name, 300, "${voided}"] for name in NAMES])`,
    columns: "compare(simple(), columns=COLUMNS[::-1])\ncompare(simple(), columns=COLUMNS[1:] + COLUMNS[:1])",
    quotes:
      'rows = simple()\ncompare(rows + [[f"{name}, {other}", 1234, "ok"] for name, other in zip(NAMES, NAMES[1:])])\ncompare(rows + [[NAMES[0], 500, "ok"]], quoting=csv.QUOTE_ALL)\ncompare(rows + [[f"{NAMES[1]}, too", 500, "ok"]], quoting=csv.QUOTE_NONNUMERIC)',
    signs:
      'for bracket in (True, False):\n    compare(simple() + [[name, -cents, "ok"] for name, cents in zip(NAMES, (5, 350, 99999999))], bracket=bracket)',
    tables: 'for _ in range(3):\n    compare(simple() + [[name, 100, "ok"] for name in NAMES], tables=3)',
    spaces: `rows = simple()\ncompare(rows + [[NAMES[0], 900, "${voided.toUpperCase()}"]], pad=" ")\ncompare(rows + [[f"{NAMES[0]}, {NAMES[1]}", 900, "ok"], [NAMES[2], 900, "ok"]], pad="  ")`,
  };
  return text`
    import csv
    import io

    NAMES = ${JSON.stringify(names)}
    COLUMNS = ${JSON.stringify(columns)}


    def simple():
        return [[rng.choice(NAMES), rng.randint(1, 99999), "${voided}" if rng.random() < 0.2 else "ok"] for _ in range(rng.randint(5, 60))]


    def compare(rows, columns=COLUMNS, pad="", quoting=csv.QUOTE_MINIMAL, bracket=False, tables=1):
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n", quoting=quoting)
        for turn, (group, cents, status) in enumerate(rows):
            if turn % -(-len(rows) // tables) == 0:
                columns = rng.sample(COLUMNS, 3) if turn else columns
                writer.writerow(columns)
            shown = f"({-cents / 100:.2f})" if bracket and cents < 0 else f"{cents / 100:.2f}"
            cells = {"${group}": pad + group + pad, "${amount}": pad + shown, "${status}": status + pad}
            writer.writerow([cells[column] for column in columns])
        sums = {}
        for group, cents, status in rows:
            if status.lower() != "${voided}":
                sums[group] = sums.get(group, 0) + cents
        wanted = sorted(sums.items(), key=lambda item: ${order === "name" ? "item[0]" : "(-item[1], item[0])"})
        got = output(["python3", "${program}", write("table.csv", buffer.getvalue())])
        same(got.split("\n"), [f"{name} {cents / 100:.2f}" for name, cents in wanted] + [""], "the report")
    ${checks
      .map(
        (name) => text`


          @check("${name}")
          def _():
              ${body[name] ?? ""}
        `,
      )
      .join("\n\n")}
  `;
}
