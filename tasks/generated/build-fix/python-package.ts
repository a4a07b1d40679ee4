import type { Draw } from "../draw.ts";
import { swap } from "../swap.ts";
import { text } from "../text.ts";
import type { Build, Fault, Files } from "./build.ts";

/** A Python program that starts by an entry in its settings, with packages of others in several versions beside it. */
export function pythonPackage(d: Draw): Build {
  const name = d.pick(["scales", "stock", "pantry", "depot"]);
  const [table, units] = d.pick([["tabular", "amounts"], ["gridlines", "weights"], ["columnar", "masses"]] as const); // prettier-ignore
  const [model, words, report] = d.pick([["model", "words", "report"], ["items", "labels", "sheet"], ["rows", "phrases", "print_out"]] as const); // prettier-ignore
  const minor = d.int(6, 9);
  const good = `1.${minor}`;
  const stray = d.pick(["statistics", "json", "re"]);
  const align = (signature: string, body: string): string => text`
    """Sets rows in columns."""


    def ${signature}:
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
        ${body}
  `;
  const join = 'return ["SEP".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]';
  const right: Files = {
    "start.sh": text`
      #!/bin/sh
      cd "$(dirname "$0")" && exec python3 tools/launch.py "$@"
    `,
    "app.ini": text`
      [app]
      entry = ${name}.cli:main

      [vendor]
      ${table} = ${good}
      ${units} = 0.3
    `,
    "tools/launch.py": text`
      """Starts what app.ini names, with the versions of vendor/ that it names. A version whose own needs are not met is refused."""
      import configparser
      import importlib
      import os
      import sys

      top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


      def number(version):
          return [int(part) for part in version.split(".")]


      def needs(folder):
          """Lines such as: ${table} 1.5 2.0 (at least 1.5, and less than 2.0)."""
          place = os.path.join(folder, "needs.txt")
          return [line.split() for line in open(place)] if os.path.exists(place) else []


      settings = configparser.ConfigParser()
      settings.read(os.path.join(top, "app.ini"))
      chosen = dict(settings["vendor"])
      for package, version in chosen.items():
          folder = os.path.join(top, "vendor", f"{package}-{version}")
          if not os.path.isdir(folder):
              sys.exit(f"vendor/{package}-{version} does not exist")
          for other, low, high in needs(folder):
              if other not in chosen or not number(low) <= number(chosen[other]) < number(high):
                  sys.exit(f"{package} {version} needs {other} from {low} to below {high}, not {chosen.get(other)}")
          sys.path.append(folder)
      sys.path.append(top)
      module, _, function = settings["app"]["entry"].partition(":")
      getattr(importlib.import_module(module), function)()
    `,
    [`vendor/${table}-1.4/${table}.py`]: align("align(rows)", join.replace("SEP", " ")),
    [`vendor/${table}-${good}/${table}.py`]: align('align(rows, between=" ")', join.replace('"SEP"', "between")),
    [`vendor/${table}-2.0/${table}.py`]: align('set_columns(rows, *, between=" ")', join.replace('"SEP"', "between")),
    [`vendor/${units}-0.2/${units}.py`]: 'def grams(number, unit):\n    return number * {"g": 1, "kg": 1000}[unit]\n',
    [`vendor/${units}-0.2/needs.txt`]: `${table} 1.0 1.5\n`,
    [`vendor/${units}-0.3/${units}.py`]:
      'def grams(number, unit):\n    return round(number * {"mg": 0.001, "g": 1, "kg": 1000}[unit], 3)\n',
    [`vendor/${units}-0.3/needs.txt`]: `${table} 1.5 2.0\n`,
    [`vendor/${units}-0.4/${units}.py`]:
      'def grams(number, unit):\n    return round(number * {"mg": 0.001, "g": 1, "kg": 1000}[unit], 3)\n',
    [`vendor/${units}-0.4/needs.txt`]: `${table} 2.0 3.0\n`,
    [`${name}/__init__.py`]: '"""What lies in store."""\n',
    [`${name}/cli.py`]: text`
      import sys

      from ${name}.${model} import read_items
      from ${name}.${report} import lines


      def main():
          """Reads lines such as "flour 2.5 kg" (mg, g or kg) and prints a table and the median, in grams."""
          for line in lines(read_items(sys.stdin)):
              print(line)
    `,
    [`${name}/${words}.py`]: text`
      def heading(unit):
          return ["what", f"in {unit}"]


      def nothing():
          return "nothing in store"
    `,
    [`${name}/${model}.py`]: text`
      from ${units} import grams

      from ${name}.${words} import heading

      HEADING = heading("g")


      class Item:
          def __init__(self, name, weight):
              self.name, self.weight = name, weight


      def read_items(file):
          items = []
          for line in file:
              name, number, unit = line.split()
              items.append(Item(name, grams(float(number), unit)))
          return items
    `,
    [`${name}/${report}.py`]: text`
      import json
      import re
      import statistics

      from ${table} import align

      from ${name}.${model} import HEADING
      from ${name}.${words} import heading, nothing


      def lines(items):
          if not items:
              return [nothing()]
          rows = [[re.sub("_", " ", item.name), json.dumps(item.weight)] for item in items]
          unit = heading("all")
          return [*align([HEADING, *rows], between=" | "), f"{unit[1]}: {len(items)}, median {statistics.median(item.weight for item in items)}"]
    `,
  };
  const edit =
    (path: string, from: string, to: string): Fault["apply"] =>
    (files) => ({ ...files, [path]: swap(files[path] ?? "", from, to) });
  const start = 'cd "$(dirname "$0")" && exec';
  const faults: Fault[] = [
    { name: "entry", told: "The program's entry is not found.", apply: edit("app.ini", `${name}.cli:main`, d.pick([`${name}.main:main`, `${name}.cli:start`, `${name}:main`])) }, // prettier-ignore
    { name: "cycle", told: "A module cannot import a name from another one.", apply: edit(`${name}/${model}.py`, `from ${name}.${words} import`, `from ${name}.${report} import`) }, // prettier-ignore
    { name: "table", told: `The version of \`${table}\` does not fit.`, apply: edit("app.ini", `${table} = ${good}`, `${table} = ${d.pick(["1.4", "2.0"])}`) }, // prettier-ignore
    { name: "units", told: `The version of \`${units}\` does not fit.`, apply: edit("app.ini", `${units} = 0.3`, `${units} = ${d.pick(["0.2", "0.4"])}`) }, // prettier-ignore
    { name: "stray", told: "A module of Python itself seems to lack something.", apply: (files) => ({ ...files, [`tools/${stray}.py`]: `"""Lines of the package, as somebody counted them once; nothing needs it any more."""\nTOTAL = ${d.int(100, 400)}\n` }) }, // prettier-ignore
    { name: "elsewhere", quiet: true, told: "It only starts in its own folder.", apply: edit("start.sh", start, "exec") }, // prettier-ignore
  ];
  const kept = Object.keys(right).filter((path) => path.startsWith("vendor/") || path === "tools/launch.py");
  return {
    about: `\`sh start.sh\` starts the Python package \`${name}\`: \`tools/launch.py\` reads \`app.ini\`, takes the named versions of packages from \`vendor/\` (one version each, nothing can be downloaded) and calls the entry.`,
    right,
    faults,
    asked: {
      starts: `Mend it, so that \`sh start.sh\` reads weights from standard input and prints the table, as the docstring in \`${name}/cli.py\` says.`,
      launch: `\`python3 tools/launch.py\` starts it too. Columns of the table are set with \` | \` between them; weights in mg, g and kg are understood.`,
      elsewhere: "`start.sh` works from any folder, when it is started by its whole path.",
      kept: "Leave everything in `vendor/` and `tools/launch.py` as it is.",
    },
    verify: text`
      KEPT = ${JSON.stringify(kept)}


      def drawn():
          return "".join(f"{rng.choice(['flour', 'salt', 'brown_rice', 'tea'])} {rng.choice([1, 2.5, 0.75, rng.randint(1, 900)])} {rng.choice(['g', 'kg', 'mg'])}\n" for _ in range(rng.randint(0, 7)))


      def compare(command, stdin, cwd=None, work=None):
          wanted = output(["sh", os.path.join(right, "start.sh")], cwd=right, stdin=stdin, trusted=True)
          same(output(command, cwd=work or app, stdin=stdin), wanted, f"{' '.join(command)} for {stdin!r}")


      def unchanged(folder):
          for path in KEPT:
              same(read(path, folder), read(path, right), path)


      def files_of_vendor(folder):
          paths = (os.path.join(parent, name) for parent, _, names in os.walk(os.path.join(folder, "vendor")) for name in names)
          return sorted(os.path.relpath(path, folder) for path in paths if "__pycache__" not in path)


      @check("starts")
      def _():
          for stdin in ["", "flour 2.5 kg\nbrown_rice 300 mg\ntea 7 g\n", *(drawn() for _ in range(4))]:
              compare(["sh", "start.sh"], stdin)


      @check("launch")
      def _():
          unchanged(app)
          for stdin in ["flour 3 mg\nrice 1 kg\n", *(drawn() for _ in range(3))]:
              compare(["python3", "tools/launch.py"], stdin)


      @check("elsewhere")
      def _():
          for _ in range(3):
              compare(["sh", os.path.join(app, "start.sh")], drawn(), work=scratch())


      @check("kept")
      def _():
          unchanged(app)
          same(files_of_vendor(app), files_of_vendor(right), "the files of vendor/")
    `,
    attempt: 'printf "flour 2.5 kg\\ntea 300 mg\\n" | sh start.sh',
    wrong: {
      "goes-round-the-launcher": text`
        cat > start.sh <<'END'
        #!/bin/sh
        cd "$(dirname "$0")" && PYTHONPATH=vendor/${table}-${good}:vendor/${units}-0.3:. exec python3 -c 'from ${name}.cli import main; main()'
        END
      `,
    },
    lapses: {
      "takes-the-newest": edit("app.ini", `${table} = ${good}\n${units} = 0.3`, `${table} = 2.0\n${units} = 0.4`)(right),
    },
    trespass: `sed -i 's/sys.exit(f"{package}/print(f"{package}/' tools/launch.py\nsed -i 's/1.5 2.0/1.0 3.0/' vendor/*/needs.txt\n`,
  };
}
