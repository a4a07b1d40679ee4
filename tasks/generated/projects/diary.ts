import type { Draw } from "../draw.ts";
import { text } from "../text.ts";
import { columns, type Project } from "./project.ts";

/** A diary of rooms: times, spans of time, bookings. */
export function diary(d: Draw): Project {
  const name = d.pick(["diary", "rooms", "bookings", "planner"]);
  const [book, free, list] = d.pick([["book", "free", "list"], ["reserve", "gap", "show"], ["enter", "slot", "day"]] as const); // prettier-ignore
  const [meets, better] = d.pick([["spans_meet", "overlaps"], ["do_meet", "collide"], ["two_cross", "intersects"]] as const); // prettier-ignore
  const open = d.pick([7, 8, 9]);
  const close = d.pick([17, 18, 20]);
  const hour = (n: number): string => String(n).padStart(2, "0");
  const [x = "", y = ""] = d.some(["red", "blue", "attic", "hall", "studio"], 2);
  return {
    name,
    about: "It books rooms for parts of a day.",
    modules: {
      [`${name}/__init__.py`]: text`
        """Rooms and when they are taken."""
      `,
      [`${name}/clock.py`]: text`
        """Times of the day are whole minutes since midnight."""


        def parse_time(text):
            """Minutes from a time such as 9:05 or 09:05. Raises ValueError for anything that is no time between 0:00 and 23:59."""
            hours, _, minutes = text.partition(":")
            if not (hours.isdigit() and minutes.isdigit() and len(minutes) == 2 and int(hours) < 24 and int(minutes) < 60):
                raise ValueError(text)
            return int(hours) * 60 + int(minutes)


        def show_time(minutes):
            """09:05 for 545: always two digits of each."""
            return f"{minutes // 60:02d}:{minutes % 60:02d}"
      `,
      [`${name}/spans.py`]: text`
        """A span is a pair (start, end) of minutes with start < end. Its end is no part of it."""


        def ${meets}(a, b):
            """True when two spans share a minute. Where one ends when the other begins, they share none."""
            return a[0] < b[1] and b[0] < a[1]


        def gaps(spans, start, end):
            """The spans between start and end that none of the given ones covers, in order. The given ones may come in any order and share minutes."""
            found, at = [], start
            for first, last in sorted(spans):
                if first > at:
                    found.append((at, min(first, end)))
                at = max(at, last)
            if at < end:
                found.append((at, end))
            return [gap for gap in found if gap[0] < gap[1]]
      `,
      [`${name}/store.py`]: text`
        from ${name}.spans import gaps, ${meets}

        OPEN, CLOSE = ${open} * 60, ${close} * 60


        class Store:
            """Who has which room when."""

            def __init__(self):
                self.rooms = {}

            def ${book}(self, room, span, who):
                """True when the booking was made; False, and nothing is changed, when the room is taken or closed in a part of that time."""
                taken = self.rooms.setdefault(room, {})
                if span[0] < OPEN or span[1] > CLOSE or any(${meets}(span, other) for other in taken):
                    return False
                taken[span] = who
                return True

            def cancel(self, room, minute):
                """Takes away the booking of a room that covers a minute; tells whether there was one."""
                taken = self.rooms.get(room, {})
                for span in [span for span in taken if ${meets}(span, (minute, minute + 1))]:
                    del taken[span]
                    return True
                return False

            def ${free}(self, room, length):
                """The beginning of the first gap of at least so many minutes within opening hours, or None."""
                for start, end in gaps(self.rooms.get(room, {}), OPEN, CLOSE):
                    if end - start >= length:
                        return start
                return None
      `,
      [`${name}/listing.py`]: text`
        from ${name}.clock import show_time


        def day_lines(store, room):
            """The bookings of a room, earliest first (START-END WHO), then the minutes booked in all."""
            taken = store.rooms.get(room, {})
            lines = [f"{show_time(start)}-{show_time(end)} {who}" for (start, end), who in sorted(taken.items())]
            return [*lines, f"{sum(end - start for start, end in taken)} minutes"]
      `,
      [`${name}/__main__.py`]: text`
        """Reads commands, one a line:

        ${columns([
          [`${book} ROOM START END WHO`, 'prints "ok" or "taken"; "bad time" when START or END is no time, or END is not after START'],
          ["cancel ROOM TIME", 'prints "ok" or "nothing"'],
          [`${free} ROOM MINUTES`, 'prints the first time at which the room is free for so long, or "never"'],
          [`${list} ROOM`, "prints the bookings of the room"],
        ])}
        """
        import sys

        from ${name}.clock import parse_time, show_time
        from ${name}.listing import day_lines
        from ${name}.store import Store


        def main():
            store = Store()
            for line in sys.stdin:
                verb, room, *words = line.split()
                try:
                    if verb == "${book}":
                        span = parse_time(words[0]), parse_time(words[1])
                        if span[0] >= span[1]:
                            raise ValueError(line)
                        print("ok" if store.${book}(room, span, words[2]) else "taken")
                    elif verb == "cancel":
                        print("ok" if store.cancel(room, parse_time(words[0])) else "nothing")
                    elif verb == "${free}":
                        start = store.${free}(room, int(words[0]))
                        print("never" if start is None else show_time(start))
                    elif verb == "${list}":
                        print("\n".join(day_lines(store, room)))
                except ValueError:
                    print("bad time")


        if __name__ == "__main__":
            main()
      `,
    },
    imports: {
      clock: `from ${name}.clock import parse_time, show_time`,
      spans: `from ${name}.spans import gaps, ${meets}`,
      store: `from ${name}.store import CLOSE, OPEN, Store`,
      listing: `from ${name}.listing import day_lines\nfrom ${name}.store import Store`,
    },
    cases: [
      { module: "clock", name: "times", body: 'self.assertEqual(parse_time("10:15"), 615)\nself.assertEqual(show_time(615), "10:15")' },
      { module: "spans", name: "far_apart", body: `self.assertFalse(${meets}((0, 10), (20, 30)))\nself.assertTrue(${meets}((0, 30), (10, 20)))` }, // prettier-ignore
      { module: "spans", name: "no_spans", body: "self.assertEqual(gaps([], 0, 60), [(0, 60)])" },
      { module: "store", name: "a_taken_room", body: `store = Store()\nself.assertTrue(store.${book}("${x}", (OPEN, OPEN + 60), "ada"))\nself.assertFalse(store.${book}("${x}", (OPEN + 30, OPEN + 90), "leo"))\nself.assertTrue(store.${book}("${y}", (OPEN, OPEN + 60), "leo"))` }, // prettier-ignore
      { module: "listing", name: "an_empty_room", body: `self.assertEqual(day_lines(Store(), "${x}"), ["0 minutes"])` },
    ],
    bugs: [
      { file: `${name}/clock.py`, right: "and int(minutes) < 60", wrong: "and int(minutes) <= 60", symptom: "A time with 60 minutes is taken for one.", input: `${book} ${x} ${open}:60 ${open + 2}:00 ada\n`, case: { module: "clock", name: "no_time", body: 'for text in ["10:60", "24:00", "10", "1:5", "x:10"]:\n    with self.assertRaises(ValueError):\n        parse_time(text)' } }, // prettier-ignore
      { file: `${name}/clock.py`, right: "{minutes % 60:02d}", wrong: "{minutes % 60:d}", symptom: "Times lose a zero: 10:05 is printed as 10:5.", input: `${book} ${x} 10:05 11:00 ada\n${list} ${x}\n`, case: { module: "clock", name: "two_digits", body: 'self.assertEqual(show_time(545), "09:05")' } }, // prettier-ignore
      { file: `${name}/spans.py`, right: "a[0] < b[1] and b[0] < a[1]", wrong: "a[0] <= b[1] and b[0] <= a[1]", symptom: "A room cannot be booked from the minute at which an earlier booking ends.", input: `${book} ${x} 10:00 11:00 ada\n${book} ${x} 11:00 12:00 leo\n`, case: { module: "spans", name: "one_after_the_other", body: `self.assertFalse(${meets}((0, 10), (10, 20)))\nself.assertFalse(${meets}((10, 20), (0, 10)))` } }, // prettier-ignore
      { file: `${name}/spans.py`, right: "in sorted(spans)", wrong: "in spans", symptom: "Free time is wrong when bookings were not made in the order of the day.", input: `${book} ${x} 14:00 15:00 ada\n${book} ${x} ${hour(open)}:00 10:00 leo\n${free} ${x} 240\n`, case: { module: "spans", name: "any_order", body: "self.assertEqual(gaps([(40, 50), (10, 20)], 0, 60), [(0, 10), (20, 40), (50, 60)])" } }, // prettier-ignore
      { file: `${name}/spans.py`, right: "at = max(at, last)", wrong: "at = first", symptom: "Time that is taken is offered as free.", input: `${book} ${x} ${hour(open)}:00 12:00 ada\n${free} ${x} 30\n`, case: { module: "spans", name: "behind_a_span", body: "self.assertEqual(gaps([(0, 30)], 0, 60), [(30, 60)])" } }, // prettier-ignore
      { file: `${name}/store.py`, right: "or span[1] > CLOSE", wrong: "or span[1] >= CLOSE", symptom: "No booking can last until closing time.", input: `${book} ${x} 15:00 ${close}:00 ada\n`, case: { module: "store", name: "until_the_end", body: `self.assertTrue(Store().${book}("${x}", (CLOSE - 60, CLOSE), "ada"))` } }, // prettier-ignore
      { file: `${name}/store.py`, right: "end - start >= length", wrong: "end - start > length", symptom: "A gap that is just long enough is not found.", input: `${book} ${x} ${hour(open)}:30 ${close}:00 ada\n${free} ${x} 30\n`, case: { module: "store", name: "just_long_enough", body: `self.assertEqual(Store().${free}("${x}", CLOSE - OPEN), OPEN)` } }, // prettier-ignore
      { file: `${name}/listing.py`, right: "in sorted(taken.items())", wrong: "in taken.items()", symptom: "The list of a room is not in the order of the day.", input: `${book} ${x} 14:00 15:00 ada\n${book} ${x} 10:00 11:00 leo\n${list} ${x}\n`, case: { module: "listing", name: "earliest_first", body: `store = Store()\nstore.${book}("${x}", (840, 900), "ada")\nstore.${book}("${x}", (600, 660), "leo")\nself.assertEqual(day_lines(store, "${x}"), ["10:00-11:00 leo", "14:00-15:00 ada", "120 minutes"])` } }, // prettier-ignore
    ],
    edges: text`
      times = ["0:00", "00:00", "23:59", "24:00", "9:5", "9:60", "9:05", "09:05", "9", ":30", "9:", "-1:00", "9:-5", "9:05:00", "x:10", "10:xx"]
      return [
          "".join(f"${free} red {minutes}\n" for minutes in [1, 60, ${(close - open) * 60}, ${(close - open) * 60 + 1}]) + "${list} red\n",
          "".join(f"${book} red {time} 23:59 ada\n${book} red 0:00 {time} ada\n${book} blue ${open}:00 {time} leo\ncancel blue {time}\ncancel blue ${open}:00\n" for time in times),
          "${book} a ${open - 1}:59 ${open}:30 ada\n${book} a ${open}:00 ${open}:01 ada\n${book} a ${close - 1}:59 ${close}:00 leo\n${book} a ${close - 1}:30 ${close}:01 leo\n${book} a 10:00 10:00 leo\n${book} a 11:00 10:00 leo\n${list} a\n",
          "${book} a 10:00 11:00 ada\n" + "".join(f"${book} a {pair} leo\n${list} a\n${free} a 30\n" for pair in ["9:30 10:00", "11:00 11:30", "10:59 12:00", "9:29 9:31", "10:15 10:45", "9:00 12:00", "10:00 11:00"]) + "${book} b 10:00 11:00 leo\n${list} b\n",
          "${book} a 10:00 11:00 ada\n${book} a 11:00 12:00 leo\ncancel a 9:59\ncancel a 12:00\ncancel b 10:00\ncancel a 11:00\n${list} a\ncancel a 11:00\n${book} a 11:00 12:00 mina\ncancel a 10:59\n${list} a\n",
          "${book} a 14:00 15:00 ada\n${book} a ${open}:00 10:00 leo\n${book} a 12:00 13:00 mina\n" + "".join(f"${free} a {minutes}\n" for minutes in [1, 59, 60, 61, 120, 121, 180, 240, 600]) + "${book} a 10:00 12:00 x\n${free} a 60\n${free} a 61\n${list} a\n",
          "${book} a ${open}:00 ${close}:00 ada\n${free} a 1\n${list} a\ncancel a ${close}:00\ncancel a ${close - 1}:59\n${free} a 1\n${list} a\n",
      ]
    `,
    input: text`
      rooms, people = ["red", "blue", "hall"], ["ada", "leo", "mina"]
      time = lambda: f"{rng.randint(${open - 1}, ${close})}:{rng.choice(['00', '00', '05', '30', '30', '45', '59', '60'])}"
      lines = []
      for _ in range(rng.randint(5, 40)):
          verb, room = rng.choice(["${book}"] * 6 + ["cancel", "${free}", "${free}", "${list}"]), rng.choice(rooms)
          start = rng.randint(${open}, ${close - 1})
          pair = rng.choice([f"{start}:00 {start + 1}:00", f"{start}:05 {start}:30", f"{time()} {time()}"])
          more = {"${book}": f" {pair} {rng.choice(people)}", "cancel": f" {time()}", "${free}": f" {rng.choice([30, 60, 120, 300])}", "${list}": ""}
          lines.append(f"{verb} {room}{more[verb]}")
      return "\n".join([*lines, *(f"${list} {room}" for room in rooms), *(f"${free} {room} 60" for room in rooms)]) + "\n"
    `,
    shared: { module: "spans", name: meets, better, call: (name) => `${name}((a, a + 30), (b, b + 20))` },
    forks: [
      {
        file: `${name}/clock.py`,
        base: 'text.partition(":")',
        ours: 'text.replace(".", ":").partition(":")',
        theirs: 'text.removesuffix("h").partition(":")',
        both: 'text.removesuffix("h").replace(".", ":").partition(":")',
        says: { ours: "A time may have a point instead of the colon: 9.05.", theirs: "A time may end with an h: 9:05h." },
      },
      {
        file: `${name}/listing.py`,
        base: '{who}" for',
        ours: '{who} ({end - start} min)" for',
        theirs: '{who.capitalize()}" for',
        both: '{who.capitalize()} ({end - start} min)" for',
        says: { ours: "A booking is listed with its length behind the name: `(60 min)`.", theirs: "In lists names begin with a capital." },
      },
      {
        file: `${name}/store.py`,
        base: "if span[0] < OPEN or",
        ours: "if span[1] - span[0] > 120 or span[0] < OPEN or",
        theirs: "if who in taken.values() or span[0] < OPEN or",
        both: "if who in taken.values() or span[1] - span[0] > 120 or span[0] < OPEN or",
        says: { ours: "A booking of more than two hours is not made.", theirs: "Nobody gets a second booking of the same room." },
      },
    ],
    forkInput: text`
      lines = []
      for line in stdin.splitlines():
          words = line.split()
          if words[0] == "${book}":
              words[2:4] = [word.replace(":", rng.choice([":", "."])) + rng.choice(["", "h"]) for word in words[2:4]]
              words[4] = rng.choice(["ada", "leo", "mina", "gus", "pia", "olga"])
          lines.append(" ".join(words))
          if rng.random() < 0.3:
              start = rng.randint(${open}, ${close - 2})
              lines.append(f"clash {words[1]} {start}:00 {start + rng.randint(1, 2)}:00")
      return "\n".join(lines) + "\n"
    `,
    forkEdges: text`
      times = ["10.05", "10:05h", "10.05h", "10h", "10:05hh", "h10:05", "10.5h", "1005", "10..05", "10.05.00", "9.00h"]
      return [
          "".join(f"${book} red {time} 12.00h ada\ncancel red {time}\n${book} blue 9:30 {time} leo\n${list} blue\ncancel blue 9.30h\n" for time in times),
          "".join(f"${book} r{end} 10:00 {end} ada\n${list} r{end}\n" for end in ["11:59", "12:00", "12.01h", "12:01", "13:00"]),
          "${book} red 10:00 11:00 ada\n${book} red 11:00 12:00 ada\n${book} red 11:00 12:00 leo\n${book} blue 11:00 12:00 ada\ncancel red 10:30\n${book} red 10.00 11.00 ada\n${list} red\n${list} blue\n",
          "${book} red 10:00 11:00 ada\n${book} red 11:00 11:30 leo\n${book} red 12:00 13:00 mina\n" + "".join(f"clash red {pair}\n" for pair in ["9:00 10:00", "9:00 10:01", "10:30 11:30", "11:30 12:00", "9:00 14:00", "11.00h 12.30h", "10:59 11:01"]) + "clash blue 9:00 10:00\n",
      ]
    `,
    addition: {
      path: `${name}/clash.py`,
      content: text`
        from ${name}.spans import ${meets}


        def clashes(store, room, span):
            """How many bookings of a room share a minute with a span."""
            return sum(${meets}(span, other) for other in store.rooms.get(room, {}))
      `,
      main: [
        [`from ${name}.clock import`, `from ${name}.clash import clashes\nfrom ${name}.clock import`],
        [
          `            elif verb == "cancel":`,
          `            elif verb == "clash":\n                print(clashes(store, room, (parse_time(words[0]), parse_time(words[1]))))\n            elif verb == "cancel":`,
        ],
      ],
      says: "The command `clash ROOM START END` prints how many bookings of the room share a minute with that time.",
    },
  };
}
