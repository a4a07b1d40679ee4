import type { Draw } from "../draw.ts";
import { text } from "../text.ts";
import type { SlowProgram } from "./slow-program.ts";

/** Windows that are summed up anew for each line, and every line compared with all before it. */
export function readings(d: Draw): SlowProgram {
  const file = `${d.pick(["meter", "gauge", "level", "tide"])}_${d.pick(["watch", "report", "stats"])}.py`;
  const least = d.chance(0.5);
  const extreme = least ? "min" : "max";
  const [smallest, beats] = least ? ["smallest", "smaller"] : ["largest", "larger"];
  const source = text`
    import sys
    from bisect import bisect_left, bisect_right, insort
    from collections import deque


    def extremes(values, width):
        """The ${smallest} of the last values up to each one."""
        found, waiting = [], deque()
        for i, value in enumerate(values):
            while waiting and values[waiting[-1]] ${least ? ">=" : "<="} value:
                waiting.pop()
            waiting.append(i)
            if waiting[0] <= i - width:
                waiting.popleft()
            found.append(values[waiting[0]])
        return found


    def averages(values, width):
        """The average of the last values up to each one, rounded down."""
        found, total = [], 0
        for i, value in enumerate(values):
            total += value
            if i >= width:
                total -= values[i - width]
            found.append(total // min(i + 1, width))
        return found


    def ranks(values):
        """How many of all values before each one are ${beats}."""
        found, before = [], []
        for value in values:
            found.append(${least ? "bisect_left(before, value)" : "len(before) - bisect_right(before, value)"})
            insort(before, value)
        return found


    def main():
        width = int(sys.stdin.readline())
        values = [int(line) for line in sys.stdin if line.strip()]
        for row in zip(values, extremes(values, width), averages(values, width), ranks(values)):
            print(*row)


    main()
  `;
  const window = source.slice(source.indexOf("    found, waiting"), source.indexOf("\n\n\ndef averages"));
  const mean = source.slice(source.indexOf("    found, total"), source.indexOf("\n\n\ndef ranks"));
  const rank = source.slice(source.indexOf("    found, before"), source.indexOf("\n\n\ndef main"));
  const lines = d.int(15, 16) * 1000;
  const width = d.int(4, 5) * 1000;
  const fewer = d.int(12, 13) * 1000;
  const said = (number: number): string => number.toLocaleString("en-US");
  const sign = least ? "<" : ">";
  return {
    file,
    promises: [
      "The first line is the width, a whole number from 1; each other line is a whole number, which may be negative; empty lines are skipped.",
      "For each number, in the order of the input, it prints four numbers separated by spaces: the number itself and the three that follow.",
      `The second is the ${smallest} among the last WIDTH numbers up to and with this one (all of them while there are fewer).`,
      "The third is the average of the same numbers, rounded down to a whole number (−1.5 to −2).",
      `The fourth is how many of all the numbers before it are ${beats}; equal ones do not count.`,
    ],
    source,
    stages: [
      {
        name: "extremes",
        load: `${said(lines)} numbers in any order and a width of ${said(width)}, which makes the second number slow`,
        slow: [
          [
            window,
            `    found = []
    for i, value in enumerate(values):
        best = value
        for other in values[max(0, i + 1 - width) : i]:
            if other ${sign} best:
                best = other
        found.append(best)
    return found`,
          ],
        ],
        hardly: [
          [
            window,
            `    found = []
    for i in range(len(values)):
        start = max(0, i + 1 - width)
        found.append(${extreme}(sorted(values[start : i + 1])))
    return found`,
          ],
        ],
        hasty: [
          [
            window,
            `    found, best = [], values[0] if values else 0
    for value in values:
        best = ${extreme}(best, value)
        found.append(best)
    return found`,
          ],
        ],
        input: text`
          return "${width}\n" + "".join(f"{rng.randint(-10**6, 10**6)}\n" for _ in range(${lines}))
        `,
      },
      {
        name: "averages",
        load: `${said(lines)} equal or growing numbers and a width of ${said(width)}, which makes the third number slow`,
        slow: [
          [
            mean,
            `    return [sum(values[j] for j in range(max(0, i + 1 - width), i + 1)) // min(i + 1, width) for i in range(len(values))]`,
          ],
        ],
        hardly: [
          [
            mean,
            `    found = []
    for i in range(len(values)):
        total, start = 0, max(0, i + 1 - width)
        for value in values[start : i + 1]:
            total += value
        found.append(total // (i + 1 - start))
    return found`,
          ],
        ],
        hasty: [[mean, mean.replace("total // min(i + 1, width)", "int(total / min(i + 1, width))")]],
        input: text`
          step = rng.choice([0, 1, 3])
          return "${width}\n" + "".join(f"{5000 + i * step}\n" for i in range(${lines}))
        `,
      },
      {
        name: "ranks",
        load: `${said(fewer)} numbers in any order and a width of 1, which makes the fourth number slow`,
        slow: [[rank, `    return [sum(1 for other in values[:i] if other ${sign} value) for i, value in enumerate(values)]`]],
        hardly: [[rank, `    return [len([0 for other in values[:i] if other ${sign} value]) for i, value in enumerate(values)]`]],
        hasty: [[rank, least ? rank.replace("bisect_left", "bisect_right") : rank.replace("bisect_right", "bisect_left")]],
        input: text`
          return "1\n" + "".join(f"{rng.randint(-10**6, 10**6)}\n" for _ in range(${fewer}))
        `,
      },
    ],
    small: text`
      numbers = [rng.choice([rng.randint(-5, 5), rng.randint(-60, 60)]) for _ in range(rng.randint(4, 20))] + [-1, -2, -2, 7, -8, 2]
      return f"{rng.choice([1, 2, 3, 5, 40])}\n" + "".join(f"{number}\n" + ("\n" if rng.random() < 0.1 else "") for number in numbers)
    `,
    sample: ["3", ...Array.from({ length: 8 }, () => String(d.int(-20, 60)))].join("\n"),
  };
}
