import { directions } from "./directions.ts";
import type { Draw } from "./draw.ts";
import type { Family, Level, TaskDraft } from "./family.ts";
import { bash } from "./plan-parts.ts";
import { swap } from "./swap.ts";
import { text, writeFile } from "./text.ts";

/** A sentence that is asked and checked, and how somebody who did not heed it would have written the program. */
export interface Rule {
  readonly name: string;
  /** May depend on which other rules are asked. */
  readonly asked: string | ((asks: (rule: string) => boolean) => string);
  /** A piece of the right program that stands in it once, and what stands there instead. */
  readonly mistake?: readonly [string, string];
  /** Who heeds the rule by half, by name: what stands there instead. `beside` is another rule without which it would be right. */
  readonly half?: Readonly<Record<string, { readonly swap: readonly [string, string]; readonly beside?: string }>>;
  /** Asked at the hard level alone, because it only means something beside the others. */
  readonly hard?: true;
}

/** A file to be written by rules: few at the easy level, all or nearly all of them at the hard one. */
export interface RuleBook {
  /** The file that is asked for. */
  readonly file: string;
  /** What stands before the rules: what to write, how it is started, what it reads. */
  readonly intro: string;
  /** What stands behind the rules. */
  readonly outro?: string;
  /** Asked at every level; at least two of them have a mistake. */
  readonly base: readonly Rule[];
  /** One of them at the easy level, three at the medium one, all but two of `spare` at the hard one. */
  readonly more: readonly Rule[];
  /** Names of rules that no other one needs. Default: none, and at the hard level all are asked. */
  readonly spare?: readonly string[];
  /** The right file, for the rules that are asked. */
  source(asks: (rule: string) => boolean): string;
  /** Python: a function `compare(active)` that tries the file on a fresh input with the traps of the rules `active`; `RULES` has all that are asked. */
  compare(asks: (rule: string) => boolean): string;
  /** Files of the working directory. */
  app(asks: (rule: string) => boolean): Readonly<Record<string, string>>;
  /** Files of `app` that the verifier needs as they were. */
  readonly given?: readonly string[];
  /** Shell: looks at what is there; tries the file on it. */
  readonly look: string;
  readonly attempt: string;
}

const rounds = { easy: 4, medium: 3, hard: 3 } as const;

/**
 * A task out of one of several subjects: each rule is checked by itself, and all of them together. At the easy level the file is there, heeds all rules
 * but one, and directions say where.
 */
export function drawRuleBook(subjects: readonly ((d: Draw) => RuleBook)[]): Family["draw"] {
  return (d: Draw, level: Level): TaskDraft => {
    const { file, intro, outro = "", base, more, spare = [], source, compare, app, given, look, attempt } = d.pick(subjects)(d);
    const soft = more.filter(({ hard }) => !hard);
    const most = (): readonly Rule[] => {
      const left = d.some(spare, Math.min(2, spare.length));
      return more.filter(({ name }) => !left.includes(name));
    };
    const drawn = { easy: () => d.some(soft, 1), medium: () => d.some(soft, 3), hard: most }[level]();
    const names = [...base, ...drawn].map(({ name }) => name);
    const asks = (name: string): boolean => names.includes(name);
    const rules = [...base, ...more]
      .filter(({ name }) => asks(name))
      .map((rule) => ({ ...rule, asked: typeof rule.asked === "string" ? rule.asked : rule.asked(asks) }));
    const list = rules.map(({ asked }) => `- ${asked}`).join("\n");
    const whole = source(asks);
    const right = writeFile(file, whole);
    const wrong = rules.flatMap(({ name, mistake }) =>
      mistake ? [[`not-${name}`, writeFile(file, swap(whole, ...mistake))] as const] : [],
    );
    const begun = level === "easy" ? begin(d.pick(rules.filter(({ mistake }) => mistake !== undefined)), file, whole) : undefined;
    const others = wrong.filter(([, script]) => script !== begun?.script);
    const halves = rules.flatMap(({ half = {} }) =>
      Object.entries(half).flatMap(([name, { swap: piece, beside }]) =>
        beside === undefined || asks(beside) ? [[name, writeFile(file, swap(whole, ...piece))] as const] : [],
      ),
    );
    const kept = [...d.some(others, Math.min(4, others.length)), ...d.some(halves, Math.min(2, halves.length))];
    return {
      instruction: [begun ? intro.trim().replace(/^Write /, "Mend ") : intro.trim(), list, outro.trim()].filter(Boolean).join("\n\n"),
      ...(begun && { directions: begun.directions }),
      app: { ...app(asks), ...begun?.app },
      ...(given && { given }),
      checks: { ...Object.fromEntries(rules.map(({ name, asked }) => [name, asked])), together: list },
      verify: text`
        RULES = ${JSON.stringify(rules.map(({ name }) => name))}

        ${compare(asks)}
        ${rules
          .map(
            ({ name }) => text`


              @check("${name}")
              def _():
                  for _ in range(${rounds[level]}):
                      compare({"${name}"})
            `,
          )
          .join("\n\n")}


        @check("together")
        def _():
            for _ in range(8):
                compare(set(RULES))
      `,
      solve: right,
      wrong: Object.fromEntries(kept),
      plan: {
        steps: [
          { say: "I look at what is there.", calls: [bash(look)], check: false },
          { say: `I write \`${file}\`.`, calls: [bash(right)], check: false },
          { say: "I try it.", calls: [bash(attempt)], check: true },
        ],
        answer: `\`${file}\` does what was asked; I tried it.`,
        slip: [{ say: `I write \`${file}\`.`, calls: [bash(kept[0]?.[1] ?? right)], check: false }],
        claims: [file],
      },
    };
  };
}

/** The file as it is when one rule is not heeded. */
function begin(
  { asked, mistake }: Rule & { readonly asked: string },
  file: string,
  whole: string,
): { app: Record<string, string>; script: string; directions: string } {
  if (!mistake) throw new Error(`${file}: the rule has no mistake.`);
  const source = swap(whole, ...mistake);
  return {
    app: { [file]: source },
    script: writeFile(file, source),
    directions: `\`${file}\` is there and does all but this: ${asked}\n\n${directions({ [file]: source }, { [file]: whole })}`,
  };
}
