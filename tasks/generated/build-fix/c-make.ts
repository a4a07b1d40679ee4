import type { Draw } from "../draw.ts";
import { swap } from "../swap.ts";
import { text } from "../text.ts";
import type { Build, Fault, Files } from "./build.ts";

/** A program in C of several files and a small library, built by make. */
export function cMake(d: Draw): Build {
  const name = d.pick(["figures", "tally", "measure", "summary"]);
  const [src, inc, out] = d.pick([["src", "include", "build"], ["source", "headers", "obj"], ["code", "api", "out"]] as const); // prettier-ignore
  const lib = d.pick(["fmt", "show", "paper"]);
  const [read, calc] = d.pick([["parse", "stats"], ["input", "maths"], ["lines", "sums"]] as const); // prettier-ignore
  const least = d.int(2, 9);
  const [spread, longest] = d.pick([["spread", "MOST"], ["width", "ROOM"], ["span", "CAPACITY"]] as const); // prettier-ignore
  const [times, heading] = d.pick([["FACTOR", "HEADING"], ["SCALE", "TITLE"], ["MULTIPLE", "CAPTION"]] as const); // prettier-ignore
  const make = "Makefile";
  const right: Files = {
    [make]: text`
      CC = gcc
      CFLAGS = -O1 -Wall -Werror -I${inc}
      OBJECTS = ${out}/main.o ${out}/${read}.o ${out}/${calc}.o

      ${name}: $(OBJECTS) ${out}/lib${lib}.a
      ${"\t$(CC)"} -o $@ $(OBJECTS) -L${out} -l${lib} -lm

      ${out}/lib${lib}.a: ${out}/${lib}.o
      ${"\trm"} -f $@
      ${"\tar"} rcs $@ $^

      ${out}/%.o: ${src}/%.c ${inc}/${name}.h ${inc}/${lib}.h
      ${"\t@mkdir"} -p ${out}
      ${"\t$(CC)"} $(CFLAGS) -c -o $@ $<

      ${out}/${lib}.o: ${lib}/${lib}.c ${inc}/${lib}.h
      ${"\t@mkdir"} -p ${out}
      ${"\t$(CC)"} $(CFLAGS) -c -o $@ $<

      .PHONY: clean
      clean:
      ${"\trm"} -rf ${out} ${name}
    `,
    [`${inc}/${name}.h`]: text`
      #ifndef ${name.toUpperCase()}_H
      #define ${name.toUpperCase()}_H

      /* Numbers below it are left out. */
      #define LEAST ${least}
      /* At most so many are kept. */
      #define ${longest} 1000
      /* The root is taken of so many times the last number. */
      #define ${times} 1

      extern int left_out;
      int read_numbers(double *numbers, int most);
      double ${spread}(const double *numbers, int count);
      double cube_root(double number);

      #endif
    `,
    [`${inc}/${lib}.h`]: text`
      #ifndef ${lib.toUpperCase()}_H
      #define ${lib.toUpperCase()}_H

      #define ${heading} "numbers"
      #define DECIMALS 2
      void ${lib}_number(const char *label, double number);

      #endif
    `,
    [`${src}/main.c`]: text`
      #include <stdio.h>
      #include "${lib}.h"
      #include "${name}.h"

      int main(void) {
        double numbers[${longest}];
        int count = read_numbers(numbers, ${longest});
        printf("%s: %d, left out: %d\n", ${heading}, count, left_out);
        ${lib}_number("${spread}", ${spread}(numbers, count));
        ${lib}_number("root", cube_root(count > 0 ? numbers[count - 1] : 0));
        return 0;
      }
    `,
    [`${src}/${read}.c`]: text`
      #include <stdio.h>
      #include "${name}.h"

      int read_numbers(double *numbers, int most) {
        int count = 0;
        double number;
        while (count < most && scanf("%lf", &number) == 1) {
          if (number < LEAST)
            left_out++;
          else
            numbers[count++] = number;
        }
        return count;
      }
    `,
    [`${src}/${calc}.c`]: text`
      #include <math.h>
      #include "${name}.h"

      int left_out = 0;

      double ${spread}(const double *numbers, int count) {
        double low = 0, high = 0;
        for (int i = 0; i < count; i++) {
          if (i == 0 || numbers[i] < low)
            low = numbers[i];
          if (i == 0 || numbers[i] > high)
            high = numbers[i];
        }
        return high - low;
      }

      double cube_root(double number) {
        return cbrt(${times} * number);
      }
    `,
    [`${lib}/${lib}.c`]: text`
      #include <stdio.h>
      #include "${lib}.h"

      void ${lib}_number(const char *label, double number) {
        printf("%s %.*f\n", label, DECIMALS, number);
      }
    `,
  };
  const edit =
    (path: string, from: string, to: string): Fault["apply"] =>
    (files) => ({ ...files, [path]: swap(files[path] ?? "", from, to) });
  const faults: Fault[] = [
    { name: "object", told: "The linker does not find a function of the program itself.", apply: edit(make, ` ${out}/${calc}.o\n`, "\n") },
    { name: "order", told: `The linker does not find what is in the library \`${lib}\`.`, apply: (files) => edit(make, `-o $@ $(OBJECTS) -L${out} -l${lib}`, `-o $@ -L${out} -l${lib} $(OBJECTS)`)(files) }, // prettier-ignore
    { name: "maths", told: "The linker does not find the cube root.", apply: edit(make, " -lm\n", "\n") },
    { name: "include", told: "The compiler does not find a header.", apply: edit(make, ` -I${inc}\n`, "\n") },
    { name: "tab", told: "make cannot read its file.", apply: edit(make, "\trm -f $@", "        rm -f $@") },
    { name: "twice", told: "The linker finds a variable more than once.", apply: (files) => edit(`${src}/${calc}.c`, "int left_out = 0;\n\n", "")(edit(`${inc}/${name}.h`, "extern int left_out;", "int left_out = 0;")(files)) }, // prettier-ignore
    {
      name: "name",
      told: "The compiler does not know a function.",
      apply: edit(`${inc}/${name}.h`, "double cube_root(", "double cubic_root("),
    },
    { name: "headers", quiet: true, told: "A changed header does not reach the program.", apply: edit(make, `.c ${inc}/${name}.h ${inc}/${lib}.h\n`, ".c\n") }, // prettier-ignore
    { name: "clean", quiet: true, told: "Something is left after cleaning.", apply: edit(make, `\trm -rf ${out} ${name}`, `\trm -f ${out}/*.o ${name}`) }, // prettier-ignore
  ];
  return {
    about: `\`make\` builds the program \`${name}\` from C files in \`${src}\`, headers in \`${inc}\` and the small library in \`${lib}\`.`,
    right,
    faults,
    asked: {
      builds: `Mend the build, so that \`make\` builds \`${name}\` from a fresh copy of these files, and puts everything that it makes on the way into \`${out}\`.`,
      behaviour: `What \`${name}\` prints is what its C files say; the numbers that they define stay as they are.`,
      headers: "When a header is changed, the next `make` rebuilds everything that uses it.",
      clean: "`make clean` removes all that `make` made, and nothing else.",
    },
    verify: text`
      def fresh():
          """A copy of the work in which nothing is built."""
          place = os.path.join(scratch(), "copy")
          shutil.copytree(app, place, symlinks=True, ignore_dangling_symlinks=True)
          shutil.rmtree(os.path.join(place, "${out}"), ignore_errors=True)
          if os.path.lexists(os.path.join(place, "${name}")):
              os.remove(os.path.join(place, "${name}"))
          return share(place)


      def make(place, *targets, trusted=False):
          output(["make", *targets], cwd=place, timeout=60, trusted=trusted)


      def numbers():
          return " ".join(str(rng.choice([rng.randint(-5, 20), rng.randint(0, 900), rng.randint(0, 99) / 4])) for _ in range(rng.randint(0, 12))) + "\n"


      # Numbers on both sides of every limit, before and after the headers are changed, and more than are kept.
      EVERY = " ".join(map(str, [${least}, ${least} - 0.25, 0, 10.125, 900.5, *range(2, 62), 77.375])) + "\n"
      MANY = "${least} 1000 " * 510 + "\n"


      def compare(place):
          for stdin in [EVERY, MANY, "\n", *(numbers() for _ in range(3))]:
              same(output(["./${name}"], cwd=place, stdin=stdin), output(["./${name}"], cwd=right, stdin=stdin, trusted=True), f"${name} for {stdin[:60]!r}")


      def contents(folder):
          """Everything below a folder: what files hold, where links lead, and the folders."""
          found = {}
          for parent, folders, names in os.walk(folder):
              for name in folders + names:
                  path = os.path.join(parent, name)
                  with open(path if os.path.isfile(path) and not os.path.islink(path) else os.devnull, "rb") as file:
                      found[os.path.relpath(path, folder)] = os.readlink(path) if os.path.islink(path) else file.read()
          return found


      built = fresh()
      make(right, trusted=True)


      @check("builds")
      def _():
          before = contents(built)
          make(built)
          expect(os.path.isfile(os.path.join(built, "${name}")), "make did not make ${name}")
          made = [path for path, content in contents(built).items() if before.get(path) != content]
          same([path for path in made if path != "${name}" and path.split(os.sep)[0] != "${out}"], [], "what make makes or changes beside ${name} and ${out}")


      @check("behaviour")
      def _():
          make(built)
          compare(built)


      @check("headers")
      def _():
          make(built)
          changes = {
              "${inc}/${name}.h": {"LEAST ${least}": f"LEAST {rng.randint(11, 40)}", "${longest} 1000": f"${longest} {rng.randint(12, 18)}", "${times} 1": "${times} 8"},
              "${inc}/${lib}.h": {'${heading} "numbers"': '${heading} "figures"', "DECIMALS 2": "DECIMALS 4"},
          }
          for header, pairs in changes.items():
              for place in (built, right):
                  content = read(header, place)
                  for old, new in pairs.items():
                      expect(old in content, f"{header} no longer defines {old}")
                      content = content.replace(old, new)
                  output(["sh", "-c", 'cat > "$0"', header], cwd=place, stdin=content, trusted=place == right)
              make(built)
              make(right, trusted=True)
              compare(built)


      @check("clean")
      def _():
          place = fresh()
          before = contents(place)
          make(place)
          make(place, "clean")
          same(contents(place), before, "the folder after make clean")
    `,
    attempt: `make && echo 12 30.5 4 1 | ./${name}`,
    wrong: {
      "builds-by-hand": `mkdir -p ${out}\ngcc -O1 -I${inc} -o ${name} ${src}/*.c ${lib}/*.c -lm\ntrue\n`,
      "keeps-going": `sed -i 's/^\\t\\$(CC)/\\t-$(CC)/' ${make}\n`,
    },
    lapses: {
      "forgets-a-header": edit(make, `.c ${inc}/${name}.h ${inc}/${lib}.h\n`, `.c ${inc}/${name}.h\n`)(right),
      "builds-beside-the-sources": {
        ...right,
        [make]: (right[make] ?? "").replaceAll(new RegExp(`${out}/(main|${read}|${calc}|%)\\.o`, "g"), `${src}/$1.o`),
      },
    },
    trespass: `sed -i 's/LEAST ${least}/LEAST ${least + 1}/' ${inc}/${name}.h\n`,
  };
}
