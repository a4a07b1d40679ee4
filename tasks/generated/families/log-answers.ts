import { directions } from "../directions.ts";
import type { Draw } from "../draw.ts";
import type { Family, Level, TaskDraft } from "../family.ts";
import { logFormats, logQuestions } from "../log-answers/parts.ts";
import { logVerifier, type LogShape } from "../log-answers/verifier.ts";
import { bash } from "../plan-parts.ts";
import { swap } from "../swap.ts";
import { text, writeFile } from "../text.ts";

/** Questions about a server's log; broken lines, continued entries, zones, repeats and rotation are drawn into it. */
export const logAnswers: Family = {
  name: "log-answers",
  summary: "write a program that answers questions about a server log; broken lines, zones and rotated files are the traps",
  split: "train",
  tags: ["text", "logs", "python"],
  draw,
};

function drawShape(d: Draw, level: Level): LogShape {
  const [limit, gap] = [d.int(2, 4), d.pick([10, 15, 20, 30])];
  const all = logQuestions(limit, gap);
  const timed = all.filter((question) => question.timed);
  const questions = {
    easy: () => [d.pick(all.filter(({ name }) => name !== "sessions"))],
    medium: () => [d.pick(all)],
    hard: () => d.shuffled([d.pick(timed), d.pick(all.filter((question) => !question.timed))]),
  }[level]();
  const timedAsked = questions.some((question) => question.timed);
  // Sessions stay the same, however often a request was written.
  const counted = questions.some(({ name }) => name !== "sessions");
  const further = [
    "continued",
    ...(counted ? ["repeated"] : []),
    ...(timedAsked ? ["zones"] : []),
    ...(questions.some(({ paths }) => paths) ? ["queries"] : []),
  ];
  return {
    program: `${d.pick(["answer", "ask_log", "logstat", "inspect_log"])}.py`,
    log: `${d.pick(["access", "web", "front", "requests"])}.log`,
    format: d.pick(logFormats),
    questions,
    probe: d.pick(["/healthz", "/ping", "/ready", "/status"]),
    rules: {
      easy: () => ["probes"],
      medium: () => ["probes", "broken", ...d.some(further, 2)],
      hard: () => ["probes", "broken", "skipped", "continued", "repeated", "zones", "queries", "rotated"],
    }[level](),
    gap: gap * 60,
    hard: level === "hard",
  };
}

function sentences({ rules, probe, log, hard, questions }: LogShape): Record<string, string> {
  const all = {
    probes: `Requests of \`${probe}\` do not count.`,
    broken: "Some lines are broken: cut off before the status, with a `-` instead of the status, or empty. They do not count.",
    continued:
      "A line that begins with a space or a tab continues the entry before it. It is no entry of its own, whatever it looks like, and it is not broken.",
    repeated: "Some entries were written twice: lines that are equal, byte for byte, count once.",
    zones: `Times carry the offset of the machine that wrote them: 12:00 at \`+02:00\` is the same moment as 10:00 at \`+00:00\`.${questions.some(({ name }) => name === "errors") ? " Hours go by UTC." : ""}`,
    queries: `What follows a \`?\` does not belong to the path: \`/a?b=1\` is a request of \`/a\`${hard ? `, and \`${probe}?x=1\` one of \`${probe}\`` : ""}.`,
    rotated: `FOLDER holds \`${log}\` and may hold older parts: \`${log}.1\`, \`${log}.2\` and so on, some of them compressed with gzip, as in \`${log}.3.gz\`. All parts are one log. Other files in FOLDER are not part of it.`,
    skipped: "After the answer comes the line `skipped N`, where N is the number of broken lines, not counting the empty ones; it comes also when N is 0. Equal broken lines count each.", // prettier-ignore
  };
  const asked: [string, string][] = hard
    ? questions.map(({ name, asked }) => [name, `\`${name}\`: ${asked}`])
    : questions.map(({ name, asked }) => [name, `It prints ${asked}`]);
  return { ...Object.fromEntries(asked), ...Object.fromEntries(Object.entries(all).filter(([rule]) => rules.includes(rule))) };
}

function draw(d: Draw, level: Level): TaskDraft {
  const shape = drawShape(d, level);
  const { program, format, log, hard, questions, rules } = shape;
  const asked = sentences(shape);
  const list = Object.values(asked).map((sentence) => `- ${sentence}`).join("\n"); // prettier-ignore
  const source = solution(shape);
  const right = writeFile(program, source);
  const careless = writeFile(program, swap(source, `== "${shape.probe}"`, '== ""'));
  const start = hard ? `python3 ${program} QUESTION FOLDER` : `python3 ${program} FILE`;
  const [first] = questions;
  const easy = level === "easy";
  const begun = easy && first && d.chance(0.5) ? swap(source, ...first.mistake) : swap(source, `== "${shape.probe}"`, '== ""');
  const try1 = hard
    ? `mkdir -p /tmp/logs && cp ${log} /tmp/logs && python3 ${program} ${first?.name} /tmp/logs`
    : `python3 ${program} ${log}`;
  return {
    instruction: text`
      ${easy ? "Mend" : "Write"} \`${program}\`. Started as \`${start}\`, it answers ${hard ? `one of ${questions.length} questions about the log in FOLDER` : "a question about the log FILE"} and prints nothing but the answer. An example is \`${log}\`. Each entry looks like this, with the fields ${format.fields}:

      \`\`\`
      ${format.example}
      \`\`\`

      ${list}

      Where there is nothing to print, it prints ${hard ? "no line but `skipped N`" : "nothing"} and ends with exit code 0. Names are sorted by their characters, so \`10.0.0.10\` comes before \`10.0.0.9\`.
    `,
    ...(easy && { directions: directions({ [program]: begun }, { [program]: source }) }),
    app: { [log]: sample(d, shape), ...(easy && { [program]: begun }) },
    checks: { ...asked, together: list },
    verify: logVerifier(shape, Object.keys(asked)),
    solve: right,
    wrong: {
      "counts-the-probes": careless,
      ...(easy && { "all-in-one-line": writeFile(program, swap(source, "print(line)", 'print(line, end=" ")')) }),
      ...Object.fromEntries(questions.map(({ name, mistake }) => [`wrong-${name}`, writeFile(program, swap(source, ...mistake))])),
      ...(rules.includes("continued") && {
        "takes-continued-lines": writeFile(program, swap(source, 'if line[:1] in (" ", "\\t"):', "line = line.strip()\n        if False:")),
      }),
      ...(rules.includes("repeated") && {
        "takes-alike-for-equal": writeFile(program, swap(swap(source, "if line in seen", "if match.groups() in seen"), "seen.add(line)", "seen.add(match.groups())")), // prettier-ignore
      }),
      ...(rules.includes("zones") && { "ignores-the-zone": writeFile(program, swap(source, ".timestamp()", ".replace(tzinfo=timezone.utc).timestamp()")) }), // prettier-ignore
      ...(hard && { "reads-one-file": writeFile(program, swap(source, "re.fullmatch(PART, name)", `name == "${log}"`)) }),
    },
    plan: {
      steps: [
        { say: "I look at the log.", calls: [bash(`head -n 5 ${log}; wc -l ${log}`)], check: false },
        { say: "I write the program.", calls: [bash(right)], check: false },
        { say: "I run it on the example.", calls: [bash(try1)], check: true },
      ],
      answer: `\`${program}\` answers; I ran it on the example.`,
      slip: [{ say: "I write the program.", calls: [bash(careless)], check: false }],
      claims: [program],
    },
  };
}

/** What the agent sees: a plain log of one zone, with a few probes and nothing broken. */
function sample(d: Draw, { format, probe }: LogShape): string {
  let minute = d.int(0, 400);
  const lines = Array.from({ length: d.int(12, 24) }, () => {
    minute += d.int(0, 25);
    const two = (value: number): string => String(value).padStart(2, "0");
    return format.line({
      day: two(5 + Math.floor(minute / 1440)),
      clock: `${two(Math.floor(minute / 60) % 24)}:${two(minute % 60)}:${two(d.int(0, 59))}`,
      client: `10.0.0.${d.int(7, 12)}`,
      path: d.chance(0.15) ? probe : d.pick(["/", "/cart", "/search", "/item/1"]),
      status: d.pick([200, 200, 200, 301, 404, 500, 503]),
      ms: d.int(1, 900),
    });
  });
  return lines.join("\n");
}

function solution({ format, questions, rules, probe, log, hard }: LogShape): string {
  const has = (rule: string): boolean => rules.includes(rule);
  const bodies = questions.map(({ body }) => body).join("\n");
  const collections = ["Counter", "defaultdict"].filter((name) => bodies.includes(name));
  const dates = bodies.includes("timezone") || has("zones") ? "datetime, timezone" : "datetime";
  const program = text`
    ${hard ? "import gzip\nimport os\nimport re" : "import re"}
    import sys
    ${collections.length > 0 ? `from collections import ${collections.join(", ")}\nfrom datetime import ${dates}` : `from datetime import ${dates}`}

    ENTRY = re.compile(r'''${format.pattern}''')
    ${hard ? `PART = r"${log.replace(".", "\\.")}(\\.[0-9]+(\\.gz)?)?"` : ""}

    ${
      hard
        ? text`

            def lines_of(path):
                with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8", newline="\n") as file:
                    yield from file
          `
        : text`

            def lines_of(path):
                with open(path, encoding="utf-8", newline="\n") as file:
                    yield from file
          `
    }


    def read(lines):
        entries, ${has("repeated") ? "seen, skipped = [], set(), 0" : "skipped = [], 0"}
        for line in lines:
            line = line.rstrip("\n")
            if line[:1] in (" ", "\t"):
                continue
            match = ENTRY.fullmatch(line)
            if not match:
                skipped += line != ""
                continue
            ${has("repeated") ? `if line in seen:\n    continue\nseen.add(line)\npath = match` : "path = match"}["path"]${has("queries") ? '.split("?")[0]' : ""}
            if path == "${probe}":
                continue
            time = int(datetime.strptime(match["time"], "${format.time}").timestamp())
            entries.append((time, match["client"], path, int(match["status"]), int(match["ms"])))
        return entries, skipped

    ${questions.map(({ name, body }) => `\n\ndef ${name}(entries):\n    ${body.trimEnd().replaceAll("\n", "\n    ")}\n`).join("\n")}


    ${
      hard
        ? text`
            question, folder = sys.argv[1:]
            names = [name for name in os.listdir(folder) if re.fullmatch(PART, name)]
            entries, skipped = read(line for name in names for line in lines_of(os.path.join(folder, name)))
          `
        : text`
            question = "${questions[0]?.name ?? ""}"
            entries, skipped = read(lines_of(sys.argv[1]))
          `
    }
    for line in {${questions.map(({ name }) => `"${name}": ${name}`).join(", ")}}[question](entries):
        print(line)
    ${has("skipped") ? 'print("skipped", skipped)' : ""}
  `;
  return program.replace(/\n{4,}/g, "\n\n\n");
}
