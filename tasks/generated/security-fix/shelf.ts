import type { Draw } from "../draw.ts";
import { text } from "../text.ts";
import type { HoledProgram } from "./holed-program.ts";

/** Paths that lead out of a folder: by dots, by a folder whose name begins alike, by links, by codes that are decoded too late. */
export function shelf(d: Draw): HoledProgram {
  const root = d.pick(["shelf", "public", "shared", "files"]);
  const file = `${d.pick(["serve", "browse", "depot"])}_${root}.py`;
  const [get, put, list, size] = d.pick([
    ["get", "put", "list", "size"],
    ["read", "write", "names", "length"],
    ["fetch", "store", "dir", "bytes"],
  ] as const);
  const secret = d.pick(["keys.txt", "payroll.csv", "token", "private.pem"]);
  const beside = `${root}${d.pick(["-old", "_backup", ".private", "2"])}`;
  const source = text`
    import os
    import sys
    from urllib.parse import unquote

    ROOT = os.path.realpath(sys.argv[1])


    class Refused(Exception):
        pass


    def place_of(path):
        """Where the path of a request leads."""
        path = unquote(path)
        place = os.path.realpath(os.path.join(ROOT, path))
        if not (place + os.sep).startswith(ROOT + os.sep):
            raise Refused("outside")
        return place


    def get(path):
        place = place_of(path)
        if not os.path.isfile(place):
            raise Refused("missing")
        with open(place, encoding="utf-8") as file:
            return file.read().splitlines()


    def put(path, words):
        target = place_of(path)
        if os.path.isdir(target) or not os.path.isdir(os.path.dirname(target)):
            raise Refused("missing")
        with open(target, "w", encoding="utf-8") as file:
            file.write(words + "\n")
        return ["stored"]


    def names(path):
        folder = place_of(path)
        if not os.path.isdir(folder):
            raise Refused("missing")
        return sorted(os.listdir(folder))


    def size(path):
        counted = place_of(path)
        if not os.path.isfile(counted):
            raise Refused("missing")
        return [str(os.path.getsize(counted))]


    VERBS = {"${get}": get, "${put}": put, "${list}": names, "${size}": size}


    def main():
        for line in sys.stdin:
            verb, *fields = line.rstrip("\n").split("\t")
            try:
                answer = VERBS[verb](*fields)
            except Refused as error:
                answer = [f"error: {error}"]
            print(*answer, ".", sep="\n")


    main()
  `;
  const outside = `is answered with \`error: outside\``;
  const join = "place = os.path.realpath(os.path.join(ROOT, path))";
  const limit = "if not (place + os.sep).startswith(ROOT + os.sep):";
  const checked = "folder = place_of(path)";
  return {
    file,
    about: `\`${file}\` hands out the files of the folder \`${root}/\`.`,
    start: `python3 ${file} ${root}`,
    requests: [
      `\`${get} PATH\` answers the lines of a file; \`${size} PATH\` answers its size in bytes.`,
      `\`${put} PATH TEXT\` writes the text and a line break into a file, new or old, of a folder that is there, and answers \`stored\`.`,
      `\`${list} PATH\` answers the sorted names of what lies in a folder.`,
      `PATH is below \`${root}/\`; \`%20\` and the like stand for the characters with these codes. Dots and links are welcome as long as they stay inside: \`a/../b.txt\` is \`b.txt\`, and \`.\` the folder itself. A path inside that leads to nothing fitting is answered with \`error: missing\`.`,
    ],
    source,
    holes: [
      {
        name: "dots",
        promise: `For \`${list}\`, a path that leads out of \`${root}/\` by \`..\` or by a \`/\` at its beginning ${outside}.`,
        told: `\`${list}\` shows what lies in any folder of the machine.`,
        example: `${list}\t..\n${list}\t/`,
        open: [[checked, "folder = os.path.join(ROOT, unquote(path))"]],
        half: [[checked, 'folder = os.path.join(ROOT, unquote(path).replace("../", ""))']],
        blunt: [[checked, 'if ".." in path:\n        raise Refused("outside")\n    folder = place_of(path)']],
        attack: text`
          tries = ["..", "../", "docs/../..", "/", "docs/../../private", "....//", "..././", ".//..", "../private", "/etc", "%2e%2e", "docs/%2e%2e/.."]
          return [["${list}", path] for path in tries]
        `,
      },
      {
        name: "neighbours",
        promise: `A path that leads to a neighbour of \`${root}/\` (such as \`${beside}/\`), even one whose name begins like it, ${outside}.`,
        told: `strangers read and write in \`${beside}/\`, which lies beside \`${root}/\`.`,
        example: `${list}\t../${beside}\n${get}\t../${beside}/${secret}`,
        open: [[limit, "if not place.startswith(ROOT):"]],
        half: [
          [limit, 'if not place.startswith(ROOT) or "-" in place[len(ROOT):].split(os.sep)[0]:'.replace("-", beside.slice(root.length))],
        ],
        blunt: [[limit, "if not place.startswith(ROOT + os.sep):"]],
        attack: text`
          end = rng.choice(["s", "-new", "~", "_x"])
          tries = [
              ["${get}", "../${beside}/${secret}"],
              ["${list}", "../${root}" + end],
              ["${put}", "../${root}" + end + "/note.txt", "mine"],
              ["${size}", "docs/../../${root}-more/data.txt"],
              ["${list}", "../${beside}"],
          ]
          return tries + [["${get}", "../${root}-more/data.txt"], ["${put}", "../${root}-more/data.txt", "mine"]]
        `,
      },
      {
        name: "links",
        promise: `A path that leads out of \`${root}/\` by a link, of a file or of a folder, ${outside}.`,
        told: `links that somebody has put into \`${root}/\` hand out files from elsewhere.`,
        example: `${get}\tlinked/${secret}`,
        open: [[join, "place = os.path.abspath(os.path.join(ROOT, path))"]],
        half: [
          [
            join,
            'place = os.path.abspath(os.path.join(ROOT, path))\n    if os.path.islink(place) and not os.path.realpath(place).startswith(ROOT + os.sep):\n        raise Refused("outside")',
          ],
        ],
        blunt: [[join, `${join}\n    if place != os.path.abspath(os.path.join(ROOT, path)):\n        raise Refused("outside")`]],
        attack: text`
          tries = [["${get}", "away/${secret}"], ["${list}", "away"], ["${put}", "away/new.txt", "mine"], ["${size}", "docs/far.txt"], ["${get}", "docs/far.txt"]]
          return tries + [["${put}", "docs/far.txt", "mine"], ["${get}", "away/${secret}"]]
        `,
      },
      {
        name: "codes",
        promise: `A path that leads out of \`${root}/\` once its codes have been decoded (once, not twice) ${outside}.`,
        told: `with codes in its path, a request gets out of \`${root}/\`.`,
        example: `${get}\t%2e%2e/private/${secret}`,
        open: [
          ["    path = unquote(path)\n", ""],
          ["return place\n", "return unquote(place)\n"],
        ],
        half: [
          ["    path = unquote(path)\n", '    path = path.replace("%2e", ".")\n'],
          ["return place\n", "return unquote(place)\n"],
        ],
        blunt: [["    path = unquote(path)\n", '    if "%" in path:\n        raise Refused("outside")\n']],
        attack: text`
          tries = []
          for hidden in ["%2e%2e/", "%2E%2e/", ".%2e/", "..%2f", "%2e.%2F", "docs/%2e%2e/%2e%2e/"]:
              tries += [["${get}", hidden + "private/${secret}"], ["${put}", hidden + "private/new.txt", "mine"], ["${size}", "docs/%2e%2e/" + hidden + "private/${secret}"]]
          return tries + [["${get}", "%2E%2E%2Fprivate%2F${secret}"], ["${get}", "%252e%252e/private/${secret}"], ["${get}", "%2f" + "etc/passwd"]]
        `,
      },
    ],
    world: text`
      secret = f"secret {rng.randrange(10**9)}\n"
      for path in ["private/${secret}", "${beside}/${secret}", "${root}-more/data.txt", "${root}s/data.txt"]:
          put(path, secret)
      files = rng.sample(["a.txt", "two words.txt", "docs/b.txt", "docs/deep/c.txt", "..dots..txt", "100%.txt", "docs/d-e.md"], 5) + ["docs/real.txt", "docs/deep/x"]
      for path in files:
          put("${root}/" + path, "".join(rng.choice(["one", "two three", "", "four"]) + "\n" for _ in range(rng.randint(1, 4))))
      os.symlink("docs", os.path.join(folder, "${root}", "papers"))
      os.symlink("real.txt", os.path.join(folder, "${root}", "docs", "same.txt"))
      os.symlink("../private", os.path.join(folder, "${root}", "away"))
      os.symlink("../../private/${secret}", os.path.join(folder, "${root}", "docs", "far.txt"))
      return files
    `,
    honest: text`
      requests = [["${list}", path] for path in [".", "docs", "docs/..", "papers", "", "docs/deep/../../docs/", "none"]]
      for _ in range(10):
          path = rng.choice(WORLD)
          parts = path.replace("%", "%25").replace(" ", "%20").split("/")
          told = rng.choice(["", "./", "docs/../", "papers/../"]) + rng.choice(["/".join(parts), "%2f".join(parts), "%2F".join(parts)])
          requests.append(rng.choice([["${get}", told], ["${size}", told], ["${put}", told, rng.choice(["new text", "..", "a/../b"])]]))
      return requests + [["${put}", "docs/new%20one.txt", "hello"], ["${get}", "papers/same.txt"], ["${get}", "docs/none"], ["${size}", "docs"], ["${put}", "none/x.txt", "a"]]
    `,
    sample: {
      [`${root}/docs/hello.txt`]: "hello\n",
      [`${root}/plan.txt`]: "monday\ntuesday\n",
      [`${beside}/${secret}`]: "not for strangers\n",
    },
  };
}
