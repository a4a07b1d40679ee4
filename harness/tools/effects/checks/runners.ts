/** How a runner's printed summary is read when its exit code was lost; `undefined`: its output says nothing clear. */
export type SummaryKind =
  "pytest" | "unittest" | "tap" | "jest" | "mocha" | "go" | "cargo" | "ctest" | "maven" | "gradle" | "lint" | "make";

/** A test, build or type-check runner. `summary` where its output can tell how it went. */
export interface Runner {
  readonly summary: SummaryKind | undefined;
  /** It prints nothing when all is well, and something when it is not. */
  readonly silent?: boolean;
}

type Recogniser = (args: readonly string[]) => Runner | undefined;

const plain: Runner = { summary: undefined };
const silent: Runner = { summary: "make", silent: true };
const silentLint: Runner = { summary: "lint", silent: true };
const of = (summary: SummaryKind): Runner => ({ summary });
/** A runner unless it is only asked about itself. */
const always =
  (runner: Runner): Recogniser =>
  (args) =>
    args.some((arg) => asking.has(arg)) ? undefined : runner;
const asking = new Set([
  "--version",
  "-version",
  "--help",
  "-help",
  "-h",
  "-V",
  "--collect-only",
  "--co",
  "--listTests",
  "--showConfig",
  "--init",
  "--fixtures",
  "--markers",
  "--dry-run",
  "--just-print",
]);
/** The first argument that is no option is one of these words. */
const verb =
  (words: string, runner: Runner, withValue: readonly string[] = []): Recogniser =>
  (args) => {
    if (args.some((arg) => asking.has(arg))) return undefined;
    const first = operands(args, withValue)[0];
    return first !== undefined && words.split(" ").includes(first) ? runner : undefined;
  };

/** Arguments that are no options; `withValue` names options whose next word belongs to them. */
function operands(args: readonly string[], withValue: readonly string[] = []): string[] {
  const left: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    if (withValue.includes(arg)) i++;
    else if (arg === "--") return [...left, ...args.slice(i + 1)];
    else if (!arg.startsWith("-") && !arg.startsWith("+")) left.push(arg);
  }
  return left;
}

const scriptNames = "(?:test|check|build|lint|typecheck|type-check|types|tsc|verify|ci|unit|e2e|spec)";
const packageScript = new RegExp(`^${scriptNames}(?:[:_.-].*)?$`);
/** `test.sh`, `run-tests.py`, `tests/run`, `foo_test.py`, `test_foo.py`, `x.test.js`, … */
const testFile = /^(?:run[-_])?(?:all[-_])?(?:unit[-_])?(?:tests?|checks?|specs?)(?:[-_.].*)?$|[-_.](?:tests?|spec)(?:\.\w+)?$/;

/** A file that is a test by its name, or lies in a folder of tests. */
function isTestFile(path: string): boolean {
  const parts = path.split("/").filter((part) => part !== "." && part !== "");
  const base = parts.at(-1) ?? "";
  return testFile.test(base) || (parts.length > 1 && /^(?:run|main|all)(?:\.\w+)?$/.test(base) && /^tests?$/.test(parts.at(-2) ?? ""));
}

const scripts: Recogniser = (args) => {
  const file = operands(args)[0];
  return file !== undefined && isTestFile(file) ? plain : undefined;
};

const npm: Recogniser = (args) => {
  if (args.some((arg) => asking.has(arg))) return undefined;
  const [first, second] = operands(args, ["--prefix", "-w", "--workspace", "-C", "--dir", "--filter", "-F", "--cwd"]);
  if (first === "t" || first === "tst" || first === "test") return of("jest");
  const script = first === "run" || first === "run-script" ? second : undefined;
  return script !== undefined && packageScript.test(script) ? of("jest") : undefined;
};
/** yarn, pnpm and bun also take a script's name, or a program's, as their first word. */
const yarn: Recogniser = (args) => {
  const first = operands(args, ["--prefix", "-w", "--workspace", "-C", "--dir", "--filter", "-F", "--cwd"])[0];
  return npm(args) ?? (first !== undefined && packageScript.test(first) && !args.some((arg) => asking.has(arg)) ? of("jest") : undefined);
};

const make: Recogniser = (args) => {
  if (args.some((arg) => asking.has(arg) || arg === "-n" || arg === "-v" || arg === "-p" || arg === "-q")) return undefined;
  const targets = operands(args, ["-C", "-f", "-j", "-I", "-o", "-W", "--directory", "--file"]).filter(
    (word) => !word.includes("=") && !/^\d+$/.test(word),
  );
  return targets.length === 0 ||
    targets.some((target) => target === "all" || packageScript.test(target) || /^(?:tests|check-\w+)$/.test(target))
    ? of("make")
    : undefined;
};

const compiler: Recogniser = (args) =>
  operands(args).length > 0 && !args.some((arg) => asking.has(arg)) && !args.includes("-v") ? silent : undefined;

const node: Recogniser = (args) => {
  if (args.some((arg) => asking.has(arg))) return undefined;
  if (args.includes("--test")) return of("tap");
  if (args.includes("--check") || args.includes("-c")) return silent;
  const file = operands(args, ["-r", "--require", "--import", "--loader", "-e", "--eval", "-p"])[0];
  return file !== undefined && isTestFile(file) && !args.includes("-e") && !args.includes("-p") ? of("tap") : undefined;
};

const shell: Recogniser = (args) => {
  const options = args.filter((arg) => /^-[a-z]+$/.test(arg));
  if (options.some((option) => option.includes("n"))) return operands(args).length > 0 ? silent : undefined;
  return options.some((option) => option.includes("c")) ? undefined : scripts(args);
};

const perlLike =
  (flag: string): Recogniser =>
  (args) =>
    args.includes(flag) ? plain : scripts(args);

const pythonModules: Readonly<Record<string, Recogniser>> = {
  pytest: always(of("pytest")),
  unittest: always(of("unittest")),
  py_compile: compiler,
  compileall: compiler,
  doctest: compiler,
  mypy: always(of("lint")),
  ruff: verb("check", of("lint")),
  flake8: always(plain),
  pylint: always(plain),
  pyflakes: always(plain),
  tox: always(of("pytest")),
  nox: always(of("pytest")),
  nose2: always(of("unittest")),
  build: always(plain),
};

/** `python …` and the module form; `coverage run` is unwrapped before. */
const python: Recogniser = (args) => {
  const m = args.findIndex((arg) => arg === "-m" || /^-[A-Za-z]*m$/.test(arg));
  const c = args.findIndex((arg) => /^-[A-Za-z]*c$/.test(arg));
  if (m !== -1 && (c === -1 || m < c)) return lookUp(pythonModules, args[m + 1])?.(args.slice(m + 2));
  if (c !== -1) return undefined;
  const [file, word] = operands(args, ["-W", "-X"]);
  if (file === undefined || args.some((arg) => arg === "--help")) return undefined;
  if (/(?:^|\/)manage\.py$/.test(file)) return word === "test" || word === "check" ? of("unittest") : undefined;
  if (/(?:^|\/)setup\.py$/.test(file)) return word === "test" || word === "build" ? of("unittest") : undefined;
  return isTestFile(file) ? of("unittest") : undefined;
};

const programs: Readonly<Record<string, Recogniser>> = {
  pytest: always(of("pytest")),
  "py.test": always(of("pytest")),
  tox: always(of("pytest")),
  nox: always(of("pytest")),
  npm,
  pnpm: yarn,
  yarn,
  bun: yarn,
  node,
  tsx: scripts,
  "ts-node": scripts,
  jest: always(of("jest")),
  vitest: always(of("jest")),
  mocha: always(of("mocha")),
  ava: always(plain),
  tap: always(of("tap")),
  playwright: verb("test", plain),
  deno: verb("test check lint", plain),
  go: verb("test build vet", of("go")),
  cargo: verb("test t check c build b clippy nextest", of("cargo")),
  make,
  gmake: make,
  ninja: always(of("make")),
  cmake: (args) => (args.includes("--build") ? of("make") : undefined),
  ctest: (args) => (args.includes("-N") || args.some((arg) => asking.has(arg)) ? undefined : of("ctest")),
  meson: verb("test compile", plain),
  tsc: (args) => (args.includes("-v") ? undefined : always(silentLint)(args)),
  mypy: always(of("lint")),
  pyright: always(of("lint")),
  basedpyright: always(of("lint")),
  ruff: verb("check", of("lint")),
  flake8: always(plain),
  pylint: always(plain),
  eslint: always(silentLint),
  oxlint: always(plain),
  shellcheck: always(plain),
  javac: compiler,
  rustc: compiler,
  ghc: compiler,
  bats: always(of("tap")),
  prove: always(plain),
  rspec: always(plain),
  phpunit: always(plain),
  rake: verb("test spec", plain),
  mix: verb("test compile", plain),
  dotnet: verb("test build", plain),
  swift: verb("test build", plain),
  zig: verb("test build", plain),
  sbt: verb("test compile", plain),
  lein: verb("test", plain),
  mvn: verb("test verify compile package install", of("maven")),
  mvnw: verb("test verify compile package install", of("maven")),
  gradle: verb("test check build assemble compileJava compileKotlin", of("gradle")),
  gradlew: verb("test check build assemble compileJava compileKotlin", of("gradle")),
  bash: shell,
  sh: shell,
  dash: shell,
  zsh: shell,
  perl: perlLike("-c"),
  ruby: perlLike("-c"),
  php: perlLike("-l"),
};

const compilers = /^(?:[\w.]+-)*(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|tcc|gfortran)(?:-\d+)?$/;

/** The runner that these words start, wrappers such as `env` already taken off; undefined for everything else. */
export function runnerOf(words: readonly string[]): Runner | undefined {
  const [program, ...args] = words;
  if (program === undefined) return undefined;
  const name = program.split("/").at(-1) ?? "";
  if (/^python[\d.]*$|^pypy3?$/.test(name)) return python(args);
  const known = lookUp(programs, name);
  if (known) return known(args);
  if (compilers.test(name)) return compiler(args);
  // Without a slash `test` is the shell's own, and `check` could be anything.
  return program.includes("/") && isTestFile(program) && !args.some((arg) => asking.has(arg)) ? plain : undefined;
}

function lookUp(table: Readonly<Record<string, Recogniser>>, name: string | undefined): Recogniser | undefined {
  return name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
