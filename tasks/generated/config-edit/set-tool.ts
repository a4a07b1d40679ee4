import type { Draw } from "../draw.ts";
import type { RuleBook } from "../rule-book.ts";
import { text } from "../text.ts";
import { configExample, configKinds, entryOf, headerOf, keys, sections } from "./kinds.ts";

/** A program that sets a value in any file of one kind and touches nothing else. */
export function setTool(d: Draw): RuleBook {
  const kind = d.pick(configKinds);
  const { comment, footer } = kind;
  const file = `${d.pick(["set_value", "confset", "put_setting", "configure"])}.py`;
  const names = d.some(sections, 3);
  const key = d.pick(keys);
  const example = `example.${kind.ending}`;
  const blocks = [headerOf(kind, "SECTION"), entryOf(kind, "KEY", "VALUE"), ...(footer ? [footer] : [])];
  const shown = blocks.map((line) => `\`${line}\``).join(", ");
  return {
    file,
    intro: text`
      Write \`${file}\` for ${kind.name} files such as \`${example}\`: ${kind.form}. There are no other lines but empty ones, which may hold spaces.

      Started as \`python3 ${file} FILE SECTION KEY VALUE\`, it changes FILE in place:
    `,
    base: [
      {
        name: "set",
        asked:
          "It replaces the value of KEY in SECTION by VALUE, as it is written on the command line. The same KEY in other sections keeps its value.",
        mistake: ["if section == wanted:", "if True:"],
      },
      {
        name: "rest",
        asked:
          "All else in FILE stays as it is, byte for byte: comments, empty lines, spaces at the ends of lines and around the parts of a setting.",
        mistake: ['"".join(lines)', '"".join(line.rstrip() + end_of_line for line in lines)'],
      },
      {
        name: "comments",
        asked: "A setting that is commented out is a comment and stays one.",
        mistake: [`if body.strip()[:1] in ("", "${comment}"):`, `body = body.replace("${comment}", " ", 1)\n    if not body.strip():`],
      },
    ],
    more: [
      {
        name: "tails",
        asked: `Behind a setting there may be spaces and a comment that begins with \`${comment}\`; it stays, and so do the spaces before it.`,
        mistake: ['+ match["tail"] + end', `+ "${footer ? ";" : ""}" + end`],
      },
      {
        name: "missing",
        asked: `Where SECTION has no KEY, the line \`${entryOf(kind, "KEY", "VALUE")}\` is added to it, right behind its last line that is neither empty nor a comment; that may be ${footer ? `\`${headerOf(kind, "SECTION")}\` itself, but is never \`}\`` : "the first line of the section"}.`,
        mistake: ["lines.insert(last + 1,", "lines.insert(len(lines),"],
      },
      {
        name: "new-section",
        asked: `Where SECTION is missing, these lines are added at the end of FILE: an empty one, ${shown}.`,
        mistake: ["lines.append(end_of_line)", "pass"],
      },
      {
        name: "quoted",
        asked: `A value in FILE may stand in double quotes; then it ends with the second quote, whatever is between them. Its quotes belong to it and are replaced with it.`,
        mistake: ['"[^"]*"|', ""],
      },
      {
        name: "returns",
        asked: "In some files all lines end with CR LF. Lines that are changed or added end as the others do.",
        mistake: ['"\\r\\n" if "\\r\\n" in content else "\\n"', '"\\n"'],
        hard: true,
      },
      {
        name: "unended",
        asked:
          "The last line of FILE may have no line end. When it is changed it still has none; when a line is added behind it, both have one.",
        mistake: ["lines[-1] += end_of_line", "pass"],
        hard: true,
      },
      {
        name: "repeated",
        asked:
          "SECTION may stand in FILE several times, and KEY several times in it: the last KEY in any of them is the one that is changed. A missing KEY is added to the last of them.",
        mistake: ["found.append(i)", "found.insert(0, i)"],
        hard: true,
      },
      {
        name: "removed",
        asked: `Started without VALUE, it removes all lines of KEY in SECTION, with what is behind them, and nothing else; where there is none, FILE stays as it is.`,
        mistake: ["for i in reversed(found):", "for i in found[-1:]:"],
        hard: true,
      },
    ],
    source: () => text`
      import re
      import sys

      HEADER = re.compile(r'${kind.headerPattern}')
      ENTRY = re.compile(r'${kind.entryPattern}')

      path, wanted, key, *values = sys.argv[1:]
      with open(path, encoding="utf-8", newline="") as file:
          content = file.read()
      end_of_line = "\r\n" if "\r\n" in content else "\n"
      lines = re.findall("[^\n]*\n|[^\n]+", content)
      section, last, found = None, None, []
      for i, line in enumerate(lines):
          body = line.rstrip("\r\n")
          if body.strip()[:1] in ("", "${comment}"):
              continue
          header = HEADER.fullmatch(body)
          ${footer ? 'if body.strip() == "}":\n    section = None\n    continue' : ""}
          if header:
              section = header[1]
          if section == wanted:
              last = i
              match = ENTRY.fullmatch(body)
              if match and not header and match["key"] == key:
                  found.append(i)
      if not values:
          for i in reversed(found):
              del lines[i]
      elif found:
          line = lines[found[-1]]
          body = line.rstrip("\r\n")
          match, end = ENTRY.fullmatch(body), line[len(body) :]
          lines[found[-1]] = match["head"] + values[0] + match["tail"] + end
      else:
          new = "${kind.entry}".replace("KEY", key).replace("VALUE", values[0]) + end_of_line
          if lines and (last is None or last == len(lines) - 1) and not lines[-1].endswith("\n"):
              lines[-1] += end_of_line
          if last is None:
              lines.append(end_of_line)
              lines.append("${kind.header}".replace("SECTION", wanted) + end_of_line)
              lines.append(new)
              ${footer ? `lines.append("${footer}" + end_of_line)` : ""}
          else:
              lines.insert(last + 1, new)
      with open(path, "w", encoding="utf-8", newline="") as file:
          file.write("".join(lines))
    `,
    compare: () => text`
      SECTIONS = ${JSON.stringify(sections)}
      KEYS = ${JSON.stringify(keys)}
      MARK = "${comment}"
      TURNS = {}
      # What else is so in the first, second and third turn of a rule by itself.
      BESIDE = {
          "returns": [{"new-section"}, set(), {"missing"}],
          "unended": [{"new-section"}, {"changed-at-end"}, {"missing"}],
          "repeated": [set(), {"missing"}, set()],
          "removed": [{"repeated"}, {"missing"}, {"new-section"}],
      }


      def setting(key, value, tail="", loose=True):
          """The parts of a line: what is before the value, the value, what is behind it."""
          head, behind = "${kind.entry}".replace("KEY", key).split("VALUE")
          if loose:
              ${
                footer
                  ? 'head = rng.choice([head, head + "  ", "\\t" + key + " "])'
                  : kind.ending === "yaml"
                    ? 'head = head + rng.choice(["", "", "  "])'
                    : 'head = rng.choice([head, key + "=", key + "   =  ", key + "= "])'
              }
              behind += rng.choice(["", "", "  "])
          return [head, value, behind.rstrip() + tail if tail else behind]


      def drawn(active, forced, turn):
          """A file as a list of [section, key, line's parts], and what is asked of it. What must show in one of three turns is not left to chance."""

          def chance(rule, probability):
              return rule in forced or rule in active and rng.random() < probability

          names = rng.sample(SECTIONS, rng.randint(2, 4))
          target = rng.choice(names)
          if turn == 1:
              # A name that only begins like the one that is meant.
              names.insert(rng.randint(0, len(names)), target + "s")
          if "changed-at-end" in forced:
              names = [name for name in names if name != target] + [target]
          elif "repeated" in active:
              names += [target, rng.choice(names)]
          key = rng.choice(KEYS)
          lines = [[None, None, [MARK + " settings"]], [None, None, [""]]]
          absent = chance("missing", 0.6)
          for name in names:
              lines.append([name, "HEADER", ["${kind.header}".replace("SECTION", name)]])
              few = 0 if absent and turn == 0 else 1
              others = rng.sample([other for other in KEYS if other != key], rng.randint(few, 3 if few else 0))
              if name == target and few:
                  others.insert(0, key + "_most")
              if not (absent and name == target) and (name == target or rng.random() < 0.8):
                  others.insert(len(others) if "changed-at-end" in forced else rng.randint(0, len(others)), key)
                  if "repeated" in active and (rng.random() < 0.4 or "repeated" in forced and turn == 0):
                      others.append(key)
              for other in others:
                  off = [None, None, [MARK + " " + "".join(setting(other, "77", loose=False)).strip()]]
                  if rng.random() < 0.3:
                      lines.append(off)
                  if "rest" in active and rng.random() < 0.3:
                      lines.append([None, None, [rng.choice(["", "  ", "  " + MARK + " the  rest  "])]])
                  value = rng.choice(["8080", "true", "a.example.org", str(rng.randint(1, 999))])
                  if chance("quoted", 0.7):
                      quoted = [${footer ? `'"a; b"', f'"x {MARK} y; z"'` : `f'"1 {MARK}"', f'"x {MARK} y"'`}, '""', '"a b"']
                      value = quoted[turn] if "quoted" in forced else rng.choice(quoted)
                  tail = rng.choice(["", " ", "   "]) + MARK + rng.choice([" note", "note = 1", ' "why"']) if chance("tails", 0.7) else ""
                  tail = tail if tail[:1] == " " or not tail or ${footer ? "True" : "False"} else " " + tail
                  lines.append([name, other, setting(other, value, tail)])
                  if chance("comments", 0.7):
                      lines.append(off)
              if "changed-at-end" in forced and name == target:
                  break
              if rng.random() < 0.3 or turn == 1:
                  lines.append([None, None, [MARK + " end of " + name]])
              ${footer ? 'lines.append([None, None, ["}"]])' : ""}
              if rng.random() < 0.7 or turn == 1:
                  lines.append([None, None, [""]])
          if chance("new-section", 0.6):
              target = rng.choice([name for name in SECTIONS if name not in names])
          value = [rng.choice(["9", "false", "5s"]), r"a\1b", "b.example.org\\g<0>"][turn] if rng.random() < 0.8 or "quoted" not in active else '"c d"'
          return lines, target, key, None if chance("removed", 0.6) else value


      def changed(lines, target, key, value):
          lines = [[name, of, list(parts)] for name, of, parts in lines]
          lines[-1].append("last")
          found = [line for line in lines if line[:2] == [target, key]]
          of_section = [i for i, line in enumerate(lines) if line[0] == target]
          if value is None:
              return [line for line in lines if line not in found]
          new = [target, key, setting(key, value, loose=False)]
          if found:
              found[-1][2][1] = value
          elif of_section:
              lines.insert(of_section[-1] + 1, new)
          else:
              lines += [[None, None, [""]], [target, "HEADER", ["${kind.header}".replace("SECTION", target)]], new${footer ? ', [None, None, ["}"]]' : ""}]
          return lines


      def compare(active):
          forced, name = set(), " ".join(sorted(active))
          turn = TURNS[name] = (TURNS.get(name, -1) + 1) % 3
          if len(active) == 1:
              forced = active | BESIDE.get(name, [set()] * 3)[turn]
              ${footer ? '# The last line is never a setting.\nforced -= {"changed-at-end"}' : ""}
          active = active | forced
          lines, target, key, value = drawn(active, forced, turn)
          while "unended" in active and not "".join(lines[-1][2]).strip():
              lines.pop()
          after = changed(lines, target, key, value)
          end = "\r\n" if "returns" in forced or "returns" in active and rng.random() < 0.6 else "\n"
          rendered = ["".join("".join(parts) + end for _, _, parts, *_ in whole) for whole in (lines, after)]
          if "unended" in active and "".join(lines[-1][2]).strip() and ("unended" in forced or rng.random() < 0.8):
              rendered[0] = rendered[0].removesuffix(end)
              if after and after[-1][3:] == ["last"]:
                  rendered[1] = rendered[1].removesuffix(end)
          place = write("settings.${kind.ending}", rendered[0])
          output(["python3", "${file}", place, target, key, *([] if value is None else [value])])
          with open(place, encoding="utf-8", newline="") as file:
              same(file.read(), rendered[1], f"{target} {key} {value} in {rendered[0]!r}")
    `,
    app: () => ({ [example]: configExample(d, kind, names, key).join("\n") }),
    look: `cat -A ${example}`,
    attempt: `cp ${example} /tmp/copy && python3 ${file} /tmp/copy ${names[0]} ${key} 4711; diff ${example} /tmp/copy; grep -q 4711 /tmp/copy`,
  };
}
