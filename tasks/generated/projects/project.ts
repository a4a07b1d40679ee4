import { swap } from "../swap.ts";
import { text } from "../text.ts";

/** A small Python package of several modules, started as `python3 -m NAME`, from standard input to standard output. */
export interface Project {
  /** The package's name. */
  readonly name: string;
  /** What it does, as a sentence. */
  readonly about: string;
  /** The right modules by path, the commands it reads explained in `NAME/__main__.py`. Docstrings are its contract. */
  readonly modules: Readonly<Record<string, string>>;
  /** Independent of each other: any may be planted beside any other. At least five. */
  readonly bugs: readonly ProjectBug[];
  /** Further tests, which hold without any bug. */
  readonly cases: readonly TestCase[];
  /** What the tests of a module import, by the module's name. */
  readonly imports: Readonly<Record<string, string>>;
  /** Python: the body of a function that answers inputs, as a list of texts, on which everything that the docstrings promise shows, its limits too. */
  readonly edges: string;
  /** Python: the body of a function that answers a drawn input as text; `rng` is there. */
  readonly input: string;
  /** A function that several modules use; its name stands nowhere but where it is meant. */
  readonly shared: {
    readonly module: string;
    readonly name: string;
    /** What it might be called instead. */
    readonly better: string;
    /** Python: a call of it under that name, with the whole numbers `a` and `b`. */
    call(name: string): string;
  };
  /** Places at which two people may want different things at once; each in another module. At least three. */
  readonly forks: readonly Fork[];
  /** Python: the body of a function that answers a drawn input for which both sides of every fork and the addition matter; `stdin` is one of `input`. */
  readonly forkInput: string;
  /** Python: the body of a function that answers inputs, as a list of texts, on which each side of every fork shows at its limits, and the addition. */
  readonly forkEdges: string;
  /** A new module that calls the shared function, and the program that uses it. */
  readonly addition: Addition;
}

export interface ProjectBug {
  /** Path of the module. */
  readonly file: string;
  /** Stands once in the module. */
  readonly right: string;
  readonly wrong: string;
  /** What a user sees, as a sentence. */
  readonly symptom: string;
  /** An input on which it shows. */
  readonly input: string;
  /** A test that fails with it and passes without. */
  readonly case: TestCase;
}

export interface Fork {
  readonly file: string;
  /** Stands once in the right module. */
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  readonly both: string;
  /** What each side wants, as a sentence. */
  readonly says: { readonly ours: string; readonly theirs: string };
}

export interface Addition {
  readonly path: string;
  readonly content: string;
  /** Pieces of `NAME/__main__.py`, and what stands there instead. */
  readonly main: readonly (readonly [string, string])[];
  /** What it is for, as a sentence. */
  readonly says: string;
}

export interface TestCase {
  /** Of the module that it tests, without folder and ending. */
  readonly module: string;
  /** In words with underscores. */
  readonly name: string;
  /** Python, the method's body. */
  readonly body: string;
}

/** Lines of a help text in two columns. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([command]) => command.length));
  return rows.map(([command, what]) => `${command.padEnd(width)}  ${what}`).join("\n");
}

/** The modules with these bugs in them. */
export function plantAll(modules: Readonly<Record<string, string>>, bugs: readonly ProjectBug[]): Record<string, string> {
  const files = { ...modules };
  for (const { file, right, wrong } of bugs) files[file] = swap(files[file] ?? "", right, wrong);
  return files;
}

/** The files `tests/test_MODULE.py` with these cases. */
export function testFiles({ imports, name }: Project, cases: readonly TestCase[]): Record<string, string> {
  return Object.fromEntries(
    [...new Set(cases.map(({ module }) => module))].sort().map((module) => {
      const methods = cases
        .filter((one) => one.module === module)
        .map((one) => `    def test_${one.name}(self):\n        ${one.body.trim().replaceAll("\n", "\n        ")}`);
      return [
        `tests/test_${module}.py`,
        text`
          import unittest

          ${imports[module] ?? `import ${name}`}


          class ${module.charAt(0).toUpperCase()}${module.slice(1)}Test(unittest.TestCase):
          ${methods.join("\n\n")}


          if __name__ == "__main__":
              unittest.main()
        `,
      ];
    }),
  );
}

/** Python for a verifier: `compare_NAME(folder, inputs)` beside the package in `right`, `edges_NAME()` and `drawn_NAME()`. */
export const compareProject = ({ name, edges, input }: Project): string => text`
  def edges_${name}():
      ${edges}


  def drawn_${name}():
      ${input}


  def compare_${name}(folder, inputs):
      for stdin in inputs:
          wanted = output(["python3", "-m", "${name}"], cwd=right, stdin=stdin, trusted=True)
          same(output(["python3", "-m", "${name}"], cwd=folder, stdin=stdin), wanted, f"python3 -m ${name} for {stdin!r}")
`;

/** Python for a verifier: the folder `right` with the right files, which tested programs cannot enter. */
export const rightFolder = text`
  right = tempfile.mkdtemp()
  atexit.register(shutil.rmtree, right, ignore_errors=True)
  with open(os.path.join(tests, "right.json"), encoding="utf-8") as file:
      for path, content in json.load(file).items():
          os.makedirs(os.path.dirname(os.path.join(right, path)), exist_ok=True)
          with open(os.path.join(right, path), "w", encoding="utf-8") as place:
              place.write(content)
`;

/** The right files as one of the tests' files: they hold most of what the agent sees, and no file of the tests may lie in its folder. */
export const rightFiles = (files: Readonly<Record<string, string>>): Record<string, string> => ({ "right.json": JSON.stringify(files) });
