import type { Draw } from "../draw.ts";
import type { Level } from "../family.ts";
import type { Project } from "../projects/project.ts";
import { text } from "../text.ts";
import { goods } from "../words.ts";

/** A file around a package. */
export interface Neighbour {
  readonly path: string;
  readonly content: string;
  /** It means another thing by the same word, and stays as it is. */
  readonly stays?: string;
  /** Shell that runs it with the numbers `$A` and `$B`. */
  readonly run?: string;
}

/** Callers of a package's shared function in other kinds of files, and lookalikes; the higher the level, the more. */
export function surroundings(d: Draw, { name, about, shared }: Project, level: Level): Neighbour[] {
  if (level === "easy") return [];
  const { module, name: old, call } = shared;
  const place = `${name}.${module}`;
  const [verb = "", other = "", thing = ""] = d.some(["ask", "probe", "peek", "query", "inspect"], 3);
  const script = `bin/${verb}.sh`;
  const word = d.pick(goods);
  const callers: Neighbour[] = [
    {
      path: "README.md",
      content: text`
        # ${name}

        ${about} Start it with \`python3 -m ${name}\`.

        \`${old}\` in \`${name}/${module}.py\` is what other programs use too; \`sh ${script} 40 15\` shows what it answers.
      `,
    },
    {
      path: script,
      content: text`
        #!/bin/sh
        # Prints what ${old} answers. Usage: ${script} A B
        cd "$(dirname "$0")/.." || exit 1
        exec python3 -c "
        import sys
        from ${place} import ${old}
        a, b = int(sys.argv[1]), int(sys.argv[2])
        print(${call(old)})
        " "$1" "$2"
      `,
      run: `sh ${script} $A $B`,
    },
    {
      path: "Makefile",
      content: text`
        A ?= 40
        B ?= 15

        .PHONY: ${other}
        ${other}:
        ${"\t@python3"} -c "from ${name} import ${module}; a, b = $(A), $(B); print(${call(`${module}.${old}`)})"
      `,
      run: `make -s ${other} A=$A B=$B`,
    },
    {
      path: "settings.ini",
      content: text`
        [steps]
        ${thing} = ${place}:${old}
      `,
    },
    {
      path: "tools/steps.py",
      content: text`
        """Carries out the step of settings.ini with two numbers."""
        import configparser
        import importlib
        import os
        import sys

        top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        sys.path.insert(0, top)
        settings = configparser.ConfigParser()
        settings.read(os.path.join(top, "settings.ini"))
        module, _, function = settings["steps"]["${thing}"].partition(":")
        step = getattr(importlib.import_module(module), function)
        a, b = int(sys.argv[1]), int(sys.argv[2])
        print(${call("step")})
      `,
      run: "python3 tools/steps.py $A $B",
    },
    {
      path: "tools/limits.py",
      content: text`
        """What is allowed at most."""
        import sys


        def ${old}_limit(number):
            return min(number, 50)


        def no_${old}(number):
            return max(number - 50, 0)


        print(${old}_limit(int(sys.argv[1])), no_${old}(int(sys.argv[2])))
      `,
      stays: `\`${old}_limit\` and \`no_${old}\` in \`tools/limits.py\` are other names, which stay`,
      run: "python3 tools/limits.py $A $B",
    },
  ];
  if (level === "medium") return callers;
  return [
    ...callers,
    {
      path: "data/labels.json",
      content: `${JSON.stringify({ [old]: `the ${word}`, other: `no ${word}` }, null, 2)}\n`,
      stays: "`data/labels.json` is written by another program, whose key this is: the file stays",
    },
    {
      path: "tools/label.py",
      content: text`
        """Prints a label and what belongs to it."""
        import json
        import os
        import sys

        top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        sys.path.insert(0, top)
        import ${place}

        with open(os.path.join(top, "data", "labels.json")) as file:
            labels = json.load(file)
        a, b = int(sys.argv[1]), int(sys.argv[2])
        print(labels["${old}"], labels["other"], ${call(`${place}.${old}`)})
      `,
      run: "python3 tools/label.py $A $B",
    },
    {
      path: "tools/poll.py",
      content: text`
        """Counts a vote."""
        import sys


        class Vote:
            def __init__(self, yes, no):
                self.yes, self.no = yes, no

            def ${old}(self):
                return self.yes - self.no


        print(Vote(int(sys.argv[1]), int(sys.argv[2])).${old}())
      `,
      stays: `the method \`${old}\` in \`tools/poll.py\` has nothing to do with it and stays`,
      run: "python3 tools/poll.py $A $B",
    },
    {
      path: "tools/table.sh",
      content: text`
        #!/bin/bash
        # A table of what a function answers, for several numbers.
        cd "$(dirname "$0")/.." || exit 1
        function=${old}
        for factor in 1 2 3; do
          python3 - "$1" "$2" "$factor" <<END
        import sys
        from ${name} import ${module} as source
        a, b, factor = map(int, sys.argv[1:])
        a *= factor
        ask = source.$function
        print(a, b, ${call("ask")})
        END
        done
      `,
      run: "bash tools/table.sh $A $B",
    },
  ];
}
