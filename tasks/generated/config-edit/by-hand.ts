import { directions } from "../directions.ts";
import type { Draw } from "../draw.ts";
import type { TaskDraft } from "../family.ts";
import { bash } from "../plan-parts.ts";
import { text, writeFile } from "../text.ts";
import { configExample, configKinds, entryOf, headerOf, keys, sections } from "./kinds.ts";

/** One value of a given file, whose key stands in other sections and in a comment too. */
export function editByHand(d: Draw): TaskDraft {
  const kind = d.pick(configKinds);
  const names = d.some(sections, 3);
  const [section, key] = [d.pick(names), d.pick(keys)];
  const file = `${d.pick(["app", "site", "service", "main"])}.${kind.ending}`;
  const lines = configExample(d, kind, names, key);
  const start = lines.indexOf(headerOf(kind, section));
  const isKey = (line: string): boolean => line.trimStart().startsWith(key);
  const at = lines.findIndex((line, i) => i > start && isKey(line));
  const line = entryOf(kind, key, d.int(2, 900) * 10);
  const right = writeFile(file, lines.with(at, line).join("\n"));
  const everywhere = writeFile(file, lines.map((old) => (isKey(old) ? line : old)).join("\n"));
  const bare = writeFile(file, lines.with(at, line).filter((old) => !old.trimStart().startsWith(kind.comment)).join("\n")); // prettier-ignore
  const first = lines.findIndex((old, i) => i !== at && isKey(old));
  const wanted = `Set \`${key}\` in the section \`${section}\` of the ${kind.name} file \`${file}\`, so that its line is \`${line.trimStart()}\`${line.startsWith(" ") ? ", indented as before" : ""}.`;
  const rest = "Everything else in the file stays as it is: the comments, the empty lines, the order and all other sections.";
  return {
    instruction: `${wanted}\n\n${rest}`,
    directions: directions({ [file]: lines.join("\n") }, { [file]: lines.with(at, line).join("\n") }),
    app: { [file]: lines.join("\n") },
    // Not a given test: those are put back before the verifier runs, and this is the file to be changed.
    tests: { "before.json": JSON.stringify([...lines, ""]) },
    checks: { set: wanted, rest },
    verify: text`
      BEFORE = json.loads(read("before.json", tests))
      AFTER = read("${file}").split("\n")


      @check("set")
      def _():
          expect(len(AFTER) > ${at}, "the file is too short")
          same(AFTER[AFTER.index(${JSON.stringify(headerOf(kind, section))}) :][: ${at - start + 1}][-1], ${JSON.stringify(line)}, "the line")


      @check("rest")
      def _():
          same(AFTER[:${at}] + AFTER[${at + 1} :], BEFORE[:${at}] + BEFORE[${at + 1} :], "the other lines")
    `,
    solve: right,
    wrong: {
      "sets-it-everywhere": everywhere,
      "drops-the-comments": bare,
      "another-section": writeFile(file, lines.with(first, line).join("\n")),
    },
    plan: {
      steps: [
        { say: "I look at the file.", calls: [bash(`cat -n ${file}`)], check: false },
        { say: "I change the line.", calls: [bash(right)], check: false },
        { say: "I look whether all else is as it was.", calls: [bash(`cat -n ${file}`)], check: true },
      ],
      answer: `\`${key}\` in \`${section}\` is set; nothing else has changed.`,
      slip: [{ say: "I change it.", calls: [bash(everywhere)], check: false }],
      claims: [file],
    },
  };
}
