import { text } from "../text.ts";

/** How every task of the family begins. */
export const jsonIntro = (file: string, sample: unknown, purpose: string): string => text`
  Write \`${file}\`. Started as \`python3 ${file} FILE\`, it reads a JSON document like \`example.json\` and prints another one, and nothing else. ${purpose} In short, \`example.json\` has this form:

  \`\`\`json
  ${JSON.stringify(shortened(sample), null, 2)}
  \`\`\`
`;

/** The first item of every list. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item)]));
}

/** Python: `compare(active)` by a function `drawn(active)` that answers a document and what is to be printed for it. */
export const jsonCompare = (file: string, drawn: string): string => text`
  ${drawn}


  def compare(active):
      document, wanted = drawn(active)
      place = write("input.json", json.dumps(document, ensure_ascii=rng.random() < 0.5))
      printed = output(["python3", "${file}", place])
      try:
          got = json.loads(printed)
      except ValueError:
          got = printed
      same(got, wanted, f"for {json.dumps(document, ensure_ascii=False)}")
      if "unicode" in active:
          expect("\\u" not in printed, "there is an escape in what it prints")
`;
