import type { Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

export const mergeRanges: Subject = {
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
