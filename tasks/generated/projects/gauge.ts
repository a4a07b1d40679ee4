import type { Draw } from "../draw.ts";
import { text } from "../text.ts";
import type { Project } from "./project.ts";

/** Measurements of stations: reading them, figures about them, alarms. */
export function gauge(d: Draw): Project {
  const name = d.pick(["gauge", "sensors", "weather", "levels"]);
  const series = d.pick(["series", "track", "points"]);
  const [shown, better] = d.pick([["show_tenths", "degrees_text"], ["tenths_text", "with_decimal"], ["out_tenths", "as_degrees"]] as const); // prettier-ignore
  const [median, runs] = d.pick([["median", "longest_rise"], ["middle", "rise"], ["centre", "climb"]] as const); // prettier-ignore
  const limit = d.int(20, 40) * 10;
  const inRow = d.pick([2, 3, 4]);
  const [s = "", t = ""] = d.some(["north", "bridge", "tower", "harbour", "mill"], 2);
  const high = (n: number): string => Array.from({ length: n }, (_, i) => `${s} ${(limit + 10 + i) / 10}\n`).join("");
  return {
    name,
    about: "It reads measurements of stations and reports on them.",
    modules: {
      [`${name}/__init__.py`]: text`
        """Measurements of stations, in whole tenths of a degree."""
      `,
      [`${name}/reading.py`]: text`
        """A reading is a pair (station, tenths)."""


        def parse_tenths(text):
            """Tenths of a degree from a number such as 12, -3.5 or 0.7. Raises ValueError for anything else, also for a second decimal."""
            sign = -1 if text.startswith("-") else 1
            whole, dot, tenth = text.removeprefix("-").partition(".")
            if not whole.isdigit() or (dot and not (tenth.isdigit() and len(tenth) == 1)):
                raise ValueError(text)
            return sign * (int(whole) * 10 + int(tenth or 0))


        def ${shown}(tenths):
            """-3.5 for -35: one decimal always."""
            sign = "-" if tenths < 0 else ""
            return f"{sign}{abs(tenths) // 10}.{abs(tenths) % 10}"
      `,
      [`${name}/log.py`]: text`
        class Log:
            """The readings of all stations, in the order in which they came."""

            def __init__(self):
                self.readings = []

            def add(self, station, tenths):
                self.readings.append((station, tenths))

            def stations(self):
                """The names of the stations in alphabetical order, each once."""
                return sorted({station for station, _ in self.readings})

            def ${series}(self, station):
                """What a station measured, in the order in which it came."""
                return [tenths for name, tenths in self.readings if name == station]
      `,
      [`${name}/figures.py`]: text`
        def ${median}(values):
            """The value in the middle; with an even number of values the lower one of the two."""
            return sorted(values)[(len(values) - 1) // 2]


        def mean(values):
            """The mean, rounded down to a whole number."""
            return sum(values) // len(values)


        def ${runs}(values):
            """The length of the longest stretch of neighbours in which each is greater than the one before; 1 for a single value."""
            best = length = 1
            for before, value in zip(values, values[1:]):
                length = length + 1 if value > before else 1
                best = max(best, length)
            return best
      `,
      [`${name}/alarm.py`]: text`
        LIMIT = ${limit}
        IN_A_ROW = ${inRow}


        def alarms(log, station):
            """How often a station was above the limit ${inRow} times in a row; a longer row is still one alarm."""
            count = row = 0
            for tenths in log.${series}(station):
                row = row + 1 if tenths > LIMIT else 0
                if row == IN_A_ROW:
                    count += 1
            return count
      `,
      [`${name}/report.py`]: text`
        from ${name}.alarm import alarms
        from ${name}.figures import ${runs}, mean, ${median}
        from ${name}.reading import ${shown}


        def station_line(log, station):
            """NAME: how many readings, median, mean, longest rise, alarms."""
            values = log.${series}(station)
            figures = f"median {${shown}(${median}(values))} mean {${shown}(mean(values))} rise {${runs}(values)}"
            return f"{station}: {len(values)} {figures} alarms {alarms(log, station)}"


        def warmest(log):
            """The station with the greatest reading of all; the first in alphabetical order when several have it."""
            return max(log.stations(), key=lambda station: max(log.${series}(station)))
      `,
      [`${name}/__main__.py`]: text`
        """Reads lines of a station and degrees, such as "${s} 21.5". Empty lines are skipped; for any other line it prints "line N is bad".
        Then it prints a line for each station in alphabetical order, and the warmest one with its greatest reading, where there is any.
        """
        import sys

        from ${name}.log import Log
        from ${name}.reading import parse_tenths, ${shown}
        from ${name}.report import station_line, warmest


        def main():
            log = Log()
            for number, line in enumerate(sys.stdin, 1):
                if not line.strip():
                    continue
                try:
                    station, degrees = line.split()
                    log.add(station, parse_tenths(degrees))
                except ValueError:
                    print(f"line {number} is bad")
            for station in log.stations():
                print(station_line(log, station))
            if log.stations():
                name = warmest(log)
                print("warmest", name, ${shown}(max(log.${series}(name))))


        if __name__ == "__main__":
            main()
      `,
    },
    imports: {
      reading: `from ${name}.reading import parse_tenths, ${shown}`,
      log: `from ${name}.log import Log`,
      figures: `from ${name}.figures import ${runs}, mean, ${median}`,
      alarm: `from ${name}.alarm import LIMIT, alarms\nfrom ${name}.log import Log`,
      report: `from ${name}.log import Log\nfrom ${name}.report import station_line, warmest`,
    },
    cases: [
      { module: "reading", name: "whole_degrees", body: `self.assertEqual(parse_tenths("12"), 120)\nself.assertEqual(${shown}(125), "12.5")` }, // prettier-ignore
      { module: "log", name: "each_station_once", body: `log = Log()\nfor station in ["${t}", "${s}", "${t}"]:\n    log.add(station, 1)\nself.assertEqual(log.stations(), sorted(["${s}", "${t}"]))` }, // prettier-ignore
      { module: "figures", name: "the_middle_of_three", body: `self.assertEqual(${median}([5, 1, 3]), 3)` },
      { module: "alarm", name: "no_readings", body: `self.assertEqual(alarms(Log(), "${s}"), 0)` },
      { module: "report", name: "one_reading", body: `log = Log()\nlog.add("${s}", 20)\nself.assertEqual(station_line(log, "${s}"), "${s}: 1 median 2.0 mean 2.0 rise 1 alarms 0")` }, // prettier-ignore
    ],
    bugs: [
      { file: `${name}/reading.py`, right: "return sign * (int(whole) * 10 + int(tenth or 0))", wrong: "return sign * int(whole) * 10 + int(tenth or 0)", symptom: "Degrees below zero come out wrong: -3.5 counts as -2.5.", input: `${s} -3.5\n`, case: { module: "reading", name: "below_zero", body: 'self.assertEqual(parse_tenths("-3.5"), -35)' } }, // prettier-ignore
      { file: `${name}/reading.py`, right: "{abs(tenths) // 10}", wrong: "{abs(tenths // 10)}", symptom: "Figures just below zero are printed wrongly: -0.5 as -1.5.", input: `${s} -0.5\n`, case: { module: "reading", name: "just_below_zero", body: `self.assertEqual(${shown}(-5), "-0.5")\nself.assertEqual(${shown}(-35), "-3.5")` } }, // prettier-ignore
      { file: `${name}/log.py`, right: "if name == station", wrong: "if name.startswith(station)", symptom: "A station gets the readings of others whose names begin like its own.", input: `${s} 1\n${s}2 9\n`, case: { module: "log", name: "names_that_begin_alike", body: `log = Log()\nlog.add("${s}", 1)\nlog.add("${s}2", 2)\nself.assertEqual(log.${series}("${s}"), [1])` } }, // prettier-ignore
      { file: `${name}/figures.py`, right: "(len(values) - 1) // 2", wrong: "len(values) // 2", symptom: "The median of an even number of readings is too great.", input: `${s} 1\n${s} 2\n`, case: { module: "figures", name: "the_lower_middle", body: `self.assertEqual(${median}([1, 2, 3, 4]), 2)` } }, // prettier-ignore
      { file: `${name}/figures.py`, right: "if value > before", wrong: "if value >= before", symptom: "The longest rise counts readings that stay the same.", input: `${s} 1\n${s} 1\n${s} 1\n`, case: { module: "figures", name: "standing_still", body: `self.assertEqual(${runs}([1, 1, 2, 2, 3]), 2)` } }, // prettier-ignore
      { file: `${name}/alarm.py`, right: "if row == IN_A_ROW:", wrong: "if row >= IN_A_ROW:", symptom: "One long row above the limit counts as several alarms.", input: high(inRow + 2), case: { module: "alarm", name: "a_long_row", body: `log = Log()\nfor _ in range(${inRow + 3}):\n    log.add("${s}", LIMIT + 1)\nself.assertEqual(alarms(log, "${s}"), 1)` } }, // prettier-ignore
      { file: `${name}/alarm.py`, right: "if tenths > LIMIT", wrong: "if tenths >= LIMIT", symptom: "Readings at the limit, not above it, set off alarms.", input: `${s} ${limit / 10}\n`.repeat(inRow), case: { module: "alarm", name: "at_the_limit", body: `log = Log()\nfor _ in range(${inRow}):\n    log.add("${s}", LIMIT)\nself.assertEqual(alarms(log, "${s}"), 0)` } }, // prettier-ignore
      { file: `${name}/report.py`, right: `max(log.${series}(station)))`, wrong: `sum(log.${series}(station)))`, symptom: "The warmest station is sometimes another one than that with the greatest reading.", input: `${s} 9\n${t} 5\n${t} 5\n`, case: { module: "report", name: "the_greatest_reading", body: `log = Log()\nfor station, tenths in [("${s}", 90), ("${t}", 50), ("${t}", 50)]:\n    log.add(station, tenths)\nself.assertEqual(warmest(log), "${s}")` } }, // prettier-ignore
    ],
    edges: text`
      def degrees(tenths):
          return f"{'-' if tenths < 0 else ''}{abs(tenths) // 10}.{abs(tenths) % 10}"
      def lines(station, *values):
          return "".join(f"{station} {degrees(value)}\n" for value in values)
      odd = ["12", "-3.5", "0.7", "-0.5", "-0", "007", "1.25", "--2", "+1", "5.", ".5", "-", "-.5", "x", "1.x", "1,5", "1.2.3", "2 3", ""]
      limit, row = ${limit}, ${inRow}
      return [
          "",
          "\n  \nmill\n",
          "".join(f"mill {text}\n" for text in odd),
          "".join(f"s{i} {text}\n" for i, text in enumerate(odd)),
          "".join(lines(f"s{i}", *values) for i, values in enumerate([[5], [1, 2], [2, 1], [1, 1, 2, 2, 3], [3, 2, 1], [1, 2, 3, 1, 2], [1, 2, 1, 2, 3, 4], [-1, -2], [-15, 4], [-5, -5, -4], [1, 2, 3, 4], [-9, -3]])),
          "".join(lines(f"s{i}", *values) for i, values in enumerate([[limit] * (row + 1), [limit + 1] * (row - 1), [limit + 1] * row, [limit + 1] * (row * 2 + 1), ([limit + 1] * row + [limit]) * 3, [limit + 1] * (row - 1) + [limit] + [limit + 1] * (row - 1)])),
          lines("north", 10) + lines("north2", 90) + lines("mill", 90, 80) + lines("Mill", 89, 88, 87),
          lines("b", 9, 1) + lines("a", 5, 5) + lines("c", 9),
          lines("a", -30, -20) + lines("b", -40, -10, -50),
      ]
    `,
    input: text`
      stations = rng.sample(["north", "north2", "mill", "millpond", "tower"], rng.randint(1, 4))
      lines = []
      for _ in range(rng.randint(1, 12)):
          station = rng.choice(stations)
          degrees = rng.choice([${limit}, ${limit} + 5, rng.randint(-50, 50), rng.randint(-50, 500)])
          for _ in range(rng.randint(1, ${inRow + 2})):
              degrees += rng.choice([0, 0, 3, -2, 1])
              lines.append(f"{station} {'-' if degrees < 0 else ''}{abs(degrees) // 10}.{abs(degrees) % 10}")
          if rng.random() < 0.1:
              lines.append(rng.choice(["", "nonsense", "mill 1.25", "mill --2"]))
      return "\n".join(lines) + "\n"
    `,
    shared: { module: "reading", name: shown, better, call: (name) => `${name}(a - b)` },
    forks: [
      {
        file: `${name}/reading.py`,
        base: 'removeprefix("-").partition',
        ours: 'removeprefix("-").replace(",", ".").partition',
        theirs: 'removeprefix("+" if sign > 0 else "-").partition',
        both: 'removeprefix("+" if sign > 0 else "-").replace(",", ".").partition',
        says: { ours: "A number may have a comma instead of the point.", theirs: "A number may begin with a plus sign." },
      },
      {
        file: `${name}/alarm.py`,
        base: "if tenths > LIMIT",
        ours: "if abs(tenths) > LIMIT",
        theirs: 'if tenths > LIMIT - 10 * station.startswith("m")',
        both: 'if abs(tenths) > LIMIT - 10 * station.startswith("m")',
        says: {
          ours: "A reading that is further below zero than the limit is above zero counts for alarms like one above the limit.",
          theirs: "For stations whose names begin with m the limit of alarms is one degree lower.",
        },
      },
      {
        file: `${name}/report.py`,
        base: "{station}: {len(values)} {figures}",
        ours: `{station}: {len(values)} last {${shown}(values[-1])} {figures}`,
        theirs: "{station.upper()}: {len(values)} {figures}",
        both: `{station.upper()}: {len(values)} last {${shown}(values[-1])} {figures}`,
        says: {
          ours: "The line of a station tells its last reading behind the number of readings: `3 last 1.5`.",
          theirs: "In its line a station is written in capitals.",
        },
      },
    ],
    forkInput: text`
      lines = []
      for line in stdin.splitlines():
          words = line.split()
          if len(words) == 2:
              if not words[1].startswith("-"):
                  words[1] = rng.choice(["", "+"]) + words[1]
              words[1] = words[1].replace(".", rng.choice([".", ","]))
              if rng.random() < 0.3:
                  words[1] = "${(limit + 3) / 10}" if rng.random() < 0.3 else rng.choice(["${(limit - 5) / 10}", "-${(limit + 7) / 10}"])
          lines += [" ".join(words)] * rng.choice([1, 1, ${inRow}])
      return "\n".join(lines) + "\n"
    `,
    forkEdges: text`
      def degrees(tenths):
          return f"{'-' if tenths < 0 else rng.choice(['', '+'])}{abs(tenths) // 10}{rng.choice('.,')}{abs(tenths) % 10}"
      odd = ["1,5", "+1,5", "+1.5", "-1,5", "+-1", "-+1", "++1", "+", "1,25", "1,", ",5", "+0.5", "-0,5", "1.2,3"]
      row = ${inRow}
      around = [one for limit in [${limit}, ${limit} - 10] for one in [limit - 1, limit, limit + 1]]
      alarms = "".join(f"{station}{i}{sign} {degrees(-value if sign == '-' else value)}\n" * row for station in ["mill", "tower", "Mill"] for i, value in enumerate(around) for sign in "+-")
      mixed = "".join(f"{station} {degrees(value * (-1) ** i)}\n" for station in ["mill", "tower"] for i, value in enumerate([${limit} + 5] * (row * 2)))
      return [
          "".join(f"mill {text}\n" for text in odd),
          alarms,
          mixed,
          "a 1\na 3,5\na -2\nb +7\nB 7,0\nb 6.9\n",
          "one -0,5\n",
          "",
      ]
    `,
    addition: {
      path: `${name}/spread.py`,
      content: text`
        from ${name}.reading import ${shown}


        def spread(values):
            """The greatest value less the smallest, as it is printed."""
            return ${shown}(max(values) - min(values))
      `,
      main: [
        [`from ${name}.report import`, `from ${name}.spread import spread\nfrom ${name}.report import`],
        [`print(station_line(log, station))`, `print(station_line(log, station), "spread", spread(log.${series}(station)))`],
      ],
      says: "A station's line ends with `spread` and its greatest reading less its smallest.",
    },
  };
}
