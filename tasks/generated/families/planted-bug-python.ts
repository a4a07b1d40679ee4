import type { Family } from "../family.ts";
import { drawPlantedBug, type Language, type Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

const mergeRanges: Subject = {
  names: ["merge_ranges", "busy_times", "spans"],
  promises: [
    "Each line of the input holds two whole numbers `START END` with START ≤ END; empty lines are skipped.",
    "Ranges that overlap or touch (one ends where the next starts) are joined.",
    "The joined ranges are printed as `START-END`, one a line, smallest start first.",
    "The last line is `total N`, the sum of the lengths (END - START) of the joined ranges; without any range it is `total 0`.",
  ],
  source: text`
    import sys


    def read_ranges(lines):
        ranges = []
        for line in lines:
            if line.strip():
                start, end = line.split()
                ranges.append((int(start), int(end)))
        return ranges


    def merge(ranges):
        merged = []
        for start, end in sorted(ranges):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(merged[-1][1], end))
            else:
                merged.append((start, end))
        return merged


    def main():
        merged = merge(read_ranges(sys.stdin))
        for start, end in merged:
            print(f"{start}-{end}")
        print("total", sum(end - start for start, end in merged))


    main()
  `,
  bugs: [
    { right: "start <= merged[-1][1]", wrong: "start < merged[-1][1]", symptom: "ranges that touch are not joined.", input: "1 4\n4 9\n" },
    { right: "max(merged[-1][1], end)", wrong: "end", symptom: "a range that holds another one shrinks.", input: "1 20\n3 5\n" },
    { right: "int(start), int(end)", wrong: "start, int(end)", symptom: "it ends with a traceback.", input: "2 3\n10 12\n" },
    { right: "in sorted(ranges)", wrong: "in ranges", symptom: "it goes wrong when the lines are not in order.", input: "8 9\n1 2\n2 3\n" },
    { right: "if line.strip():", wrong: 'if line != "":', symptom: "an empty line makes it crash.", input: "1 2\n\n5 6\n" },
  ],
  deeper: [
    { right: "(merged[-1][0], ", wrong: "(start, ", input: "1 4\n3 9\n" },
    { right: "end - start for start, end in merged", wrong: "end - start + 1 for start, end in merged", input: "1 4\n6 9\n" },
  ],
  short: {
    "joins-neighbours": [["start <= merged[-1][1]", "start <= merged[-1][1] + 1"]],
    "sums-the-given-ranges": [
      ["    merged = merge(read_ranges(sys.stdin))", "    ranges = read_ranges(sys.stdin)\n    merged = merge(ranges)"],
      ["for start, end in merged))", "for start, end in ranges))"],
    ],
  },
  edges: text`
    many = [(start, start + rng.randint(0, 30)) for start in rng.sample(range(-5000, 5000), 300)]
    return [
        "",
        "\n\n",
        "7 7\n",
        "1 4\n4 9\n10 12\n",
        "5 5\n5 7\n7 7\n9 9\n",
        "-3 -1\n-1 0\n-20 -10\n",
        "1 20\n3 5\n\n4 6\n21 22\n",
        "9 12\n100 101\n2 3\n11 13\n2 3\n",
        "".join(f"{start} {end}\n" for start, end in many),
    ]
  `,
  input: text`
    pairs = [sorted([rng.randint(-20, 60), rng.randint(-20, 60)]) for _ in range(rng.randint(0, 12))]
    return "".join(f"{a} {b}\n" + ("\n" if rng.random() < 0.2 else "") for a, b in pairs)
  `,
};

const wordCount: Subject = {
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

const ledger: Subject = {
  names: ["ledger", "accounts", "balances"],
  promises: [
    "Each line is `deposit NAME CENTS`, `withdraw NAME CENTS` or `move FROM TO CENTS`; all amounts are whole numbers above 0.",
    "An account that is named for the first time starts at 0.",
    "A withdrawal or move of more than the account holds is left out and counted as refused; one of exactly what it holds is carried out.",
    "At the end it prints each account that was named as `NAME CENTS` in alphabetical order, also the empty ones, and then `refused N`.",
  ],
  source: text`
    import sys


    class Ledger:
        def __init__(self):
            self.accounts = {}
            self.refused = 0

        def open(self, *names):
            for name in names:
                self.accounts.setdefault(name, 0)

        def deposit(self, name, cents):
            self.open(name)
            self.accounts[name] += cents

        def withdraw(self, name, cents):
            self.open(name)
            if self.accounts[name] < cents:
                self.refused += 1
                return False
            self.accounts[name] -= cents
            return True

        def move(self, source, target, cents):
            self.open(source, target)
            if self.withdraw(source, cents):
                self.deposit(target, cents)


    def main():
        ledger = Ledger()
        for line in sys.stdin:
            verb, *names, cents = line.split()
            getattr(ledger, verb)(*names, int(cents))
        for name in sorted(ledger.accounts):
            print(name, ledger.accounts[name])
        print("refused", ledger.refused)


    main()
  `,
  bugs: [
    {
      right: "self.accounts[name] < cents",
      wrong: "self.accounts[name] <= cents",
      symptom: "an account cannot be emptied.",
      input: "deposit ada 500\nwithdraw ada 500\n",
    },
    {
      right: "if self.withdraw(source, cents):\n            self.deposit(target, cents)",
      wrong: "self.withdraw(source, cents)\n        self.deposit(target, cents)",
      symptom: "money comes out of nowhere when a move is refused.",
      input: "deposit ada 100\nmove ada leo 300\n",
    },
    {
      right: "self.refused += 1\n            return False",
      wrong: "return False",
      symptom: "refusals are not counted.",
      input: "withdraw ada 100\n",
    },
    {
      right: "self.accounts.setdefault(name, 0)",
      wrong: "self.accounts[name] = self.accounts.get(name) or 100",
      symptom: "accounts hold money that nobody paid in.",
      input: "deposit ada 50\n",
    },
    {
      right: "in sorted(ledger.accounts)",
      wrong: "in ledger.accounts",
      symptom: "the accounts are not in alphabetical order.",
      input: "deposit zoe 1\ndeposit ada 2\n",
    },
  ],
  deeper: [
    { right: "self.open(source, target)", wrong: "self.open(source)", input: "move ada leo 5\n" },
    {
      right: "def withdraw(self, name, cents):\n        self.open(name)",
      wrong: "def withdraw(self, name, cents):\n        if name not in self.accounts:\n            return False",
      input: "withdraw zoe 5\n",
    },
  ],
  short: {
    "leaves-out-empty-accounts": [
      ["        print(name, ledger.accounts[name])", "        if ledger.accounts[name]:\n            print(name, ledger.accounts[name])"],
    ],
    "allows-a-debt": [["if self.accounts[name] < cents:", "if self.accounts[name] <= 0:"]],
  },
  edges: text`
    return [
        "",
        "withdraw ada 5\n",
        "move ada leo 5\n",
        "deposit ada 500\nwithdraw ada 500\nwithdraw ada 1\n",
        "deposit ada 500\nmove ada leo 500\nmove ada leo 1\nmove leo mina 501\n",
        "deposit zoe 1\ndeposit ada 2\ndeposit mina 3\nwithdraw leo 4\n",
        "deposit ada 10\ndeposit ada 5\nwithdraw ada 7\nmove ada zoe 3\ndeposit zoe 1\n",
        "deposit ada 99999999999\nmove ada leo 1\n",
    ]
  `,
  input: text`
    names = ["ada", "leo", "mina", "zoe"]
    lines = []
    for _ in range(rng.randint(1, 25)):
        cents = rng.choice([50, 100, 100, 200, rng.randint(1, 400)])
        a, b = rng.sample(names, 2)
        lines.append(rng.choice([f"deposit {a} {cents}", f"deposit {a} {cents}", f"withdraw {a} {cents}", f"move {a} {b} {cents}"]))
    return "\n".join(lines) + "\n"
  `,
};

const wrapText: Subject = {
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

export const python: Language = {
  name: "Python",
  extension: "py",
  subjects: [mergeRanges, wordCount, ledger, wrapText],
  run: (file) => `python3 ${file}`,
};

/** One of several small Python programs, broken in one to four ways. */
export const plantedBugPython: Family = {
  name: "planted-bug-python",
  summary: "repair a Python program by its promises; up to four bugs, of which not all show in the example",
  split: "train",
  tags: ["bugfix", "python"],
  draw: drawPlantedBug(python),
};
