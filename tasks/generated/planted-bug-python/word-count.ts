import type { Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

export const wordCount: Subject = {
  names: ["word_count", "top_words", "vocabulary"],
  promises: [
    "Words are runs of the letters a to z; capitals count as small letters, everything else separates words: digits, underscores and letters such as ü too.",
    "Words of fewer than three letters do not count.",
    "It prints `WORD COUNT`, one a line: the most frequent first, equally frequent ones in alphabetical order.",
    "It prints at most five lines.",
  ],
  source: text`
    import re
    import sys

    LIMIT = 5
    SHORTEST = 3


    def words(text):
        return [word for word in re.findall("[a-z]+", text.lower()) if len(word) >= SHORTEST]


    def count(items):
        counts = {}
        for item in items:
            counts[item] = counts.get(item, 0) + 1
        return counts


    def main():
        counts = count(words(sys.stdin.read()))
        ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        for word, number in ranked[:LIMIT]:
            print(word, number)


    main()
  `,
  bugs: [
    { right: "text.lower()", wrong: "text", symptom: "words with a capital come out cut.", input: "The cat and The dog\n" },
    { right: ">= SHORTEST", wrong: "> SHORTEST", symptom: "words of three letters are missing.", input: "one two three three\n" },
    {
      right: "(-pair[1], pair[0])",
      wrong: "(-pair[1],)",
      symptom: "equally frequent words come in a wrong order.",
      input: "pear fig apple\n",
    },
    { right: "ranked[:LIMIT]", wrong: "ranked[:LIMIT - 1]", symptom: "a line is missing at the end.", input: "aaa bbb ccc ddd eee fff\n" },
    { right: "get(item, 0) + 1", wrong: "get(item, 1) + 1", symptom: "all counts are too large.", input: "tea tea cake\n" },
  ],
  deeper: [
    { right: "[a-z]+", wrong: "[a-z0-9]+", input: "x1y abc2\n" },
    { right: "sys.stdin.read()", wrong: "sys.stdin.readline()", input: "one two\nthree four\n" },
  ],
  short: {
    "ties-backwards": [["key=lambda pair: (-pair[1], pair[0]))", "key=lambda pair: (pair[1], pair[0]), reverse=True)"]],
    "takes-all-word-characters": [["[a-z]+", String.raw`\w+`]],
  },
  edges: text`
    return [
        "",
        "a of 12 ... it\n",
        "The cat and THE Cat\n",
        "one two three four five six seven\n",
        "f e d c b a fff eee ddd ccc bbb aaa aaa bbb\n",
        "zoo zoo ant ant bee bee cow cow dog dog elk elk elk\n",
        "x1yes2no3may snake_case_word don't re-use e.g.this\nnew\n\nline\n",
        "grün grünes Bücher über naïve\n",
        "abcdefgh " * 300 + "tea " * 40,
    ]
  `,
  input: text`
    pool = ["The", "the", "cat", "dog", "a", "on", "Bird", "bird", "x1y", "tree", "tree,", "stone.", "is", "sun", "moon-sun"]
    return "\n".join(" ".join(rng.choice(pool) for _ in range(rng.randint(1, 9))) for _ in range(rng.randint(1, 6))) + "\n"
  `,
};
