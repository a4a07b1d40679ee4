import type { Draw } from "../draw.ts";
import { text } from "../text.ts";
import type { HoledProgram } from "./holed-program.ts";

/** Commands put together from strings: a shell in between, and values that are read as options. */
export function texts(d: Draw): HoledProgram {
  const folder = d.pick(["texts", "letters", "drafts", "pages"]);
  const labels = d.pick(["labels", "marks", "tags"]);
  const file = `${d.pick(["desk", "office", "archive"])}_${folder}.py`;
  const [grep, count, mark, sort] = d.pick([
    ["grep", "count", "mark", "sort"],
    ["lines", "length", "label", "order"],
    ["search", "height", "tag", "ranked"],
  ] as const);
  const source = text`
    import os
    import subprocess
    import sys

    FOLDER = "${folder}"


    class Refused(Exception):
        pass


    def tool(command, **options):
        """The lines that a tool prints."""
        done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, **options)
        return done.stdout.splitlines()


    def known(name):
        if name not in os.listdir(FOLDER):
            raise Refused("missing")


    def grep(word, name):
        known(name)
        return tool(["grep", "-F", "-e", word, "--", name])


    def count(name):
        known(name)
        return [line.split()[0] for line in tool(["wc", "-l", "--", name])[-1:]]


    def mark(name, label):
        known(name)
        with open(os.path.join("${labels}", name), "a", encoding="utf-8") as file:
            file.write(label + "\n")
        return ["done"]


    def order(name, key):
        known(name)
        if not (len(key) == 1 and key in "123456789"):
            raise Refused("key")
        return tool(["sort", "-k", key, "--", name], env={**os.environ, "LC_ALL": "C"})


    VERBS = {"${grep}": grep, "${count}": count, "${mark}": mark, "${sort}": order}


    def main():
        for line in sys.stdin:
            verb, *fields = line.rstrip("\n").split("\t")
            try:
                answer = VERBS[verb](*fields)
            except Refused as error:
                answer = [f"error: {error}"]
            print(*answer, ".", sep="\n", flush=True)


    main()
  `;
  const search = '["grep", "-F", "-e", word, "--", name]';
  const lines = '["wc", "-l", "--", name]';
  const key = 'if not (len(key) == 1 and key in "123456789"):';
  const sorting = 'tool(["sort", "-k", key, "--", name], env={**os.environ, "LC_ALL": "C"})';
  const keep = `with open(os.path.join("${labels}", name), "a", encoding="utf-8") as file:\n        file.write(label + "\\n")`;
  const unasked = "no request starts a program or opens a file that it does not ask for";
  return {
    file,
    about: `\`${file}\` answers questions about the texts in \`${folder}/\` with the help of \`grep\`, \`wc\` and \`sort\`.`,
    start: `python3 ${file}`,
    requests: [
      `\`${grep} WORD NAME\` answers the lines of \`${folder}/NAME\` that hold WORD as it is written; every line holds the empty WORD.`,
      `\`${count} NAME\` answers the number of its lines.`,
      `\`${mark} NAME LABEL\` adds a line with the label, as it is written, to the file \`${labels}/NAME\`, and answers \`done\`.`,
      `\`${sort} NAME KEY\` answers its lines as \`LC_ALL=C sort -k KEY\` sorts them.`,
      `NAME is the name of a file that lies in \`${folder}/\`, which may be any name that a file can have; another one is answered with \`error: missing\`.`,
    ],
    source,
    holes: [
      {
        name: "words",
        promise: `For \`${grep}\`, WORD is only ever looked for, whatever it begins with and whatever stands in it; ${unasked}.`,
        told: `the word of \`${grep}\` can hold a command, which is carried out.`,
        example: `${grep}\t'; id; '\tnews`,
        open: [[search, `f"grep -F -e '{word}' -- '{name}'", shell=True`]],
        half: [[search, '["grep", "-F", word, name]']],
        blunt: [
          [
            "    known(name)\n    return tool",
            '    known(name)\n    if not word.replace(" ", "").isalnum():\n        raise Refused("missing")\n    return tool',
          ],
        ],
        attack: text`
          name = rng.choice(WORLD)
          proof = f"proof{rng.randrange(10**6)}"
          tries = [f"'; echo x > ../{proof}; '", f"$(touch ../{proof})", "--help", "-v", "-e", "-f../private/key", f'"; touch {proof}; "', "--", "' '' '"]
          return [["${grep}", word, name] for word in ["-c", f"'; echo {proof}; '", *tries]]
        `,
      },
      {
        name: "names",
        promise: `For \`${count}\`, a NAME that looks like an option or a command is a name like any other; ${unasked}.`,
        told: `a file called like an option makes \`${count}\` do something else.`,
        example: `${count}\t--help`,
        open: [[lines, '["wc", "-l", name]']],
        half: [[lines, "f\"wc -l -- '{name}'\", shell=True"]],
        blunt: [
          [
            "    known(name)\n    return [line",
            '    known(name)\n    if name.startswith("-"):\n        raise Refused("missing")\n    return [line',
          ],
        ],
        attack: text`
          tries = ["--help", "-c", "it's", "--files0-from=../private/key", "$(touch owned)"]
          return [["${count}", name] for name in [*WORLD, *tries, "../private/key", ".", ".."]]
        `,
      },
      {
        name: "labels",
        promise: `For \`${mark}\`, LABEL is only ever written down; ${unasked}.`,
        told: `the label of \`${mark}\` can hold a command, which is carried out.`,
        example: `${mark}\tnews\t$(id)`,
        open: [[keep, `os.system(f'echo "{label}" >> "${labels}/{name}"')`]],
        half: [[keep, `label = label.replace('"', "").replace(";", "")\n    os.system(f'echo "{label}" >> "${labels}/{name}"')`]],
        blunt: [[keep, keep.replace("label +", 'label.replace("$", "").replace("\'", "") +')]],
        attack: text`
          name = rng.choice(WORLD)
          proof = f"proof{rng.randrange(10**6)}"
          tries = [f"$(echo x > {proof})", f"\`touch {proof}\`", f'"; touch {proof}; "', "$HOME", "-n", "a\\nb", "$((1+1))", "\\\\"]
          return [["${mark}", name, label] for label in [f"$(touch {proof})", *tries]]
        `,
      },
      {
        name: "keys",
        promise: `\`${sort}\` with a KEY other than one of the digits 1 to 9 answers \`error: key\`, and nothing else; ${unasked}.`,
        told: `the key of \`${sort}\` can make it write files and start programs.`,
        example: `${sort}\tnews\t1 -o stolen`,
        open: [
          [key, "if not key:"],
          [sorting, `tool(f"LC_ALL=C sort -k {key} -- \\"$NAME\\"", shell=True, env={**os.environ, "NAME": name})`],
        ],
        half: [
          [key, "if not key[:1].isdigit():"],
          [sorting, 'tool(["sort", "-k", *key.split(), "--", name], env={**os.environ, "LC_ALL": "C"})'],
        ],
        blunt: [[sorting, 'tool(["sort", "--", name], env={**os.environ, "LC_ALL": "C"})']],
        attack: text`
          name = rng.choice(WORLD)
          proof = f"proof{rng.randrange(10**6)}"
          tries = [f"1; touch {proof}", "1,2", "0", "2 -r", "", "12", "1 --files0-from=../private/key", "$(id)", "-r"]
          return [["${sort}", name, key] for key in [f"1 -o ../{proof}", f"1; echo {proof}", *tries, "٣", "²", " 1", "1 "]]
        `,
      },
    ],
    world: text`
      put("private/key", f"{rng.randrange(10**9)}\n")
      put("${labels}/.keep", "")
      names = ["-c", "it's", "--help"] + rng.sample(["news", "two words", "$HOME", "a;b", "*", "plan.txt", '"q"', "-e", "$(id)"], 9)
      for name in names:
          rows = [" ".join(rng.choice(["pear", "fig 2", "-v", "it's", "$HOME", "10", "Apple"]) for _ in range(rng.randint(1, 4))) for _ in range(rng.randint(2, 6))]
          put("${folder}/" + name, "\n".join(rows) + "\n")
      return names
    `,
    honest: text`
      requests = []
      for _ in range(14):
          name = rng.choice(WORLD)
          requests.append(
              rng.choice(
                  [
                      ["${grep}", rng.choice(["fig", "pear", "it's", "-v", "$HOME", "2", "apple", ""]), name],
                      ["${count}", name],
                      ["${mark}", name, rng.choice(["read", "costs $5", "it's \"good\"", "  two  spaces", "100%"])],
                      ["${sort}", name, rng.choice("123")],
                  ]
              )
          )
      name = WORLD[-1]
      return requests + [["${grep}", "-v", name], ["${count}", "-c"], ["${mark}", name, "it's $5"], ["${sort}", name, "2"], ["${count}", "none"]]
    `,
    sample: { [`${folder}/news`]: "pear 2\nfig 10\nApple 1\n", [`${folder}/--help`]: "one\ntwo\n", [`${labels}/news`]: "read\n" },
  };
}
