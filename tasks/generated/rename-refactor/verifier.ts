import type { Level } from "../family.ts";
import { compareProject, rightFolder, type Project } from "../projects/project.ts";
import { text } from "../text.ts";
import type { Neighbour } from "./surroundings.ts";

export interface Renaming {
  readonly project: Project;
  /** The module that has the function afterwards. */
  readonly target: string;
  readonly level: Level;
  readonly neighbours: readonly Neighbour[];
  /** How many tests there are. */
  readonly tests: number;
}

/** Compares all programs with what they did before on drawn input, and reads names where they mean the function: in code by its syntax. */
export function renameVerifier({ project, target, level, neighbours, tests }: Renaming): string {
  const { name, shared } = project;
  const { module, name: old, better, call } = shared;
  const commands = neighbours.flatMap(({ run }) => run ?? []);
  return text`
    import ast
    import re

    ${rightFolder}


    ${compareProject(project)}


    OLD, NEW = "${old}", "${better}"
    COMMANDS = ${JSON.stringify(commands)}


    def names(source):
        """Every name that Python code uses, those of modules too."""
        for node in ast.walk(ast.parse(source)):
            for field in ("id", "attr", "name", "arg", "asname", "module"):
                if isinstance(getattr(node, field, None), str):
                    yield from getattr(node, field).split(".")


    def words(source):
        """The words of comments and texts, in which a name can stand without being used."""
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from re.findall(r"\w+", node.value)
        for line in source.splitlines():
            yield from re.findall(r"\w+", line.partition("#")[2])


    def imported(source):
        """The last parts of the names of all modules that Python code imports from."""
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for path in [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]:
                    yield path.split(".")[-1]


    def files():
        for parent, folders, found in os.walk(app):
            folders[:] = sorted(folder for folder in folders if folder not in ("__pycache__", ".git"))
            for place in sorted(found):
                yield os.path.relpath(os.path.join(parent, place), app)


    class ByNewName(ast.NodeTransformer):
        """The function has its new name, and whatever it is taken from is left out."""

        def visit_Attribute(self, node):
            self.generic_visit(node)
            return ast.Name(NEW, node.ctx) if node.attr in (OLD, NEW) else node

        def visit_Name(self, node):
            return ast.Name(NEW, node.ctx) if node.id == OLD else node

        def visit_Constant(self, node):
            return ast.Constant(re.sub(rf"\b{OLD}\b", NEW, node.value)) if isinstance(node.value, str) else node


    def methods(folder):
        """The tests of a project: by their names what each does, in whatever file and class it stands."""
        found = {}
        for place in sorted(os.listdir(os.path.join(folder, "tests"))):
            for node in ast.walk(ast.parse(read(f"tests/{place}", folder))) if place.endswith(".py") else []:
                if isinstance(node, ast.FunctionDef):
                    steps = [part for part in node.body if not isinstance(part, (ast.Import, ast.ImportFrom))]
                    found.setdefault(node.name, []).append([ast.dump(ByNewName().visit(part)) for part in steps])
        return found


    @check("renamed")
    def _():
        defined = [node.name for node in ast.parse(read("${name}/${target}.py")).body if isinstance(node, ast.FunctionDef)]
        expect(NEW in defined, f"${name}/${target}.py does not define {NEW}")
        for _ in range(4):
            a, b = rng.randint(1, 500), rng.randint(1, 90)
            code = "import sys\nfrom ${name}.MODULE import NAME as f\na, b = int(sys.argv[1]), int(sys.argv[2])\nprint(${call("f")})"
            wanted = output(["python3", "-c", code.replace("MODULE", "${module}").replace("NAME", OLD), str(a), str(b)], cwd=right, trusted=True)
            same(output(["python3", "-c", code.replace("MODULE", "${target}").replace("NAME", NEW), str(a), str(b)]), wanted, f"{NEW} for {a}, {b}")


    @check("old-name-gone")
    def _():
        for path in files():
            ${level === "easy" ? `if not path.startswith(("${name}/", "tests/")):` : 'if path in ("data/labels.json", "tools/poll.py"):'}
                continue
            source = read(path)
            if path == "tools/label.py":
                source = re.sub(r"""labels(\[|\.get\()["']${old}["']""", r"labels\1''", source)
            found = [*names(source), *words(source)] if path.endswith(".py") else re.findall(r"\w+", source)
            expect(OLD not in found, f"{path} still has {OLD}")
        ${level === "easy" ? "" : 'expect(NEW in re.findall(r"\\w+", read("README.md")), f"README.md does not name {NEW}")'}
        ${
          level === "hard"
            ? text`
              # Its comments and texts may say where the function is now.
              source = read("${name}/${module}.py")
              expect(NEW not in names(source) and "${target}" not in imported(source), "${name}/${module}.py still has or imports the function")
              reached = output(["python3", "-c", f"import ${name}.${module} as module\nprint(hasattr(module, '{NEW}'), hasattr(module, '{OLD}'))"])
              same(reached.split(), ["False", "False"], "whether the function is reached through ${name}/${module}.py by its new name, and by its old one")
            `
            : ""
        }


    @check("behaviour")
    def _():
        compare_${name}(app, [drawn_${name}() for _ in range(8)])
        for path in ${JSON.stringify(neighbours.filter(({ path, stays }) => stays && path !== "tools/limits.py").map(({ path }) => path))}:
            same(read(path), read(path, right), path)
        for command in COMMANDS:
            for _ in range(2):
                env = {"A": str(rng.randint(1, 500)), "B": str(rng.randint(1, 90))}
                wanted = output(["sh", "-c", command], cwd=right, env=env, trusted=True)
                same(output(["sh", "-c", command], env=env), wanted, f"{command} with {env}")
        ${
          neighbours.some(({ path }) => path === "tools/limits.py")
            ? text`
              defined = [node.name for node in ast.walk(ast.parse(read("tools/limits.py"))) if isinstance(node, ast.FunctionDef)]
              same(sorted(defined), sorted([OLD + "_limit", "no_" + OLD]), "the functions of tools/limits.py")
            `
            : ""
        }


    @check("tests")
    def _():
        code, out, err = run(["python3", "-m", "unittest", "discover", "tests"])
        ran = re.search(r"Ran (\d+) test", err)
        expect(code == 0 and ran and int(ran[1]) >= ${tests}, f"the tests end with {code}, ${tests} were there: {err[-400:]}")
        there = methods(app)
        for test, wanted in methods(right).items():
            for steps in wanted:
                expect(steps in there.get(test, []), f"{test} does not test what it did")
  `;
}
