import type { Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

export const wrapText: Subject = {
  names: ["wrap", "fold_text", "columns"],
  promises: [
    "The first line is the width, a whole number above 0; the rest is text whose paragraphs are separated by one or more empty lines.",
    "The words of a paragraph (separated by spaces and line breaks) are set in lines of at most the width, each line as full as can be, words separated by one space.",
    "A word longer than the width stands alone in a line of its own, uncut.",
    "Between paragraphs stands exactly one empty line; there is none at the end.",
  ],
  source: text`
    import re
    import sys


    def fill(words, width):
        lines, line = [], ""
        for word in words:
            if line and len(line) + 1 + len(word) > width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}" if line else word
        if line:
            lines.append(line)
        return lines


    def main():
        width = int(sys.stdin.readline())
        paragraphs = [part.split() for part in re.split(r"\n\s*\n", sys.stdin.read())]
        print("\n\n".join("\n".join(fill(words, width)) for words in paragraphs if words))


    main()
  `,
  bugs: [
    {
      right: "len(line) + 1 + len(word) > width",
      wrong: "len(line) + 1 + len(word) >= width",
      symptom: "lines break one letter too early.",
      input: "7\none two three\n",
    },
    {
      right: "    if line:\n        lines.append(line)\n    return lines",
      wrong: "    return lines",
      symptom: "the last words of a paragraph are lost.",
      input: "9\none two three\n",
    },
    {
      right: "for words in paragraphs if words",
      wrong: "for words in paragraphs",
      symptom: "there are empty lines where nothing should be.",
      input: "9\n\n\none two\n\n\n",
    },
    {
      right: String.raw`r"\n\s*\n"`,
      wrong: String.raw`r"\n\n\n"`,
      symptom: "paragraphs run together.",
      input: "20\none two\n\nthree four\n",
    },
  ],
  deeper: [
    { right: 'f"{line} {word}" if line else word', wrong: 'f"{line} {word}"', input: "9\none two\n" },
    { right: "if line and ", wrong: "if ", input: "3\nextraordinary\n" },
    { right: "part.split()", wrong: 'part.split(" ")', input: "20\none two\nthree\n" },
  ],
  short: {
    "cuts-long-words": [
      ["import sys", "import sys\nimport textwrap"],
      ['"\\n".join(fill(words, width))', 'textwrap.fill(" ".join(words), width)'],
    ],
  },
  edges: text`
    words = [rng.choice(["a", "it", "sun", "tree", "window"]) for _ in range(200)]
    return [
        "1\na b\n",
        "7\none two three\n",
        "9\none two three four five\n",
        "3\nextraordinary\n",
        "10\nit is extraordinarily hot-and-humid in well-known places\n",
        "20\n\n\none two\nthree\n\n\n\nfour\n\nfive six\n\n\n",
        "12\na  b   c\nd\n e f\n",
        "1000\n" + "\n".join(words) + "\n",
        f"{rng.randint(20, 40)}\n" + " ".join(words) + "\n\n" + " ".join(reversed(words)) + "\n",
    ]
  `,
  input: text`
    words = ["a", "of", "tree", "harbour", "extraordinarily", "sun", "rain", "window"]
    parts = [" ".join(rng.choice(words) for _ in range(rng.randint(1, 14))).replace(" sun ", "\n") for _ in range(rng.randint(1, 4))]
    return f"{rng.randint(3, 24)}\n" + rng.choice(["\n\n", "\n\n\n"]).join(parts) + "\n"
  `,
};
