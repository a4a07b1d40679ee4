import { ConfigError } from "../../harness/errors.ts";
import { quote } from "../../harness/sandbox/shell/quote.ts";

/** How a verifier runs tests: a command for bash, and what writes JUnit's report to `$FORGE_REPORT`, if it does. */
export interface TestCommand {
  readonly command: string;
  readonly report?: "pytest" | "node";
}

/**
 * The command that runs these test files, by what they are; `asked` replaces it, with `{tests}` for their names. Throws `ConfigError` where nothing is
 * known that runs them.
 */
export function testCommand(tests: readonly string[], asked: string | undefined): TestCommand {
  const words = (files: readonly string[]): string => files.map((path) => quote(path)).join(" ");
  if (asked !== undefined) return { command: asked.replaceAll("{tests}", words(tests)) };
  const python = tests.filter((path) => /(^|\/)test_[^/]*\.py$|_test\.py$/.test(path));
  // By `-P` a file of the working directory cannot take the place of pytest itself. The option `pythonpath` fails in pytest 7.2 without an ini file.
  const start = `import os, sys, pytest; sys.path[:0] = [os.getcwd(), os.path.join(os.getcwd(), "src")]; sys.exit(pytest.main(sys.argv[1:]))`;
  if (python.length > 0)
    return {
      command: `exec python3 -P -c ${quote(start)} -q -p no:cacheprovider --junitxml="$FORGE_REPORT" ${words(python)}`,
      report: "pytest",
    };
  const script = tests.filter((path) => /[._-](test|spec)\.[cm]?js$/.test(path));
  if (script.length > 0)
    return {
      command: `exec node --test --test-reporter=junit --test-reporter-destination="$FORGE_REPORT" ${words(script)}`,
      report: "node",
    };
  throw new ConfigError(
    `No way is known to run ${tests[0]}. Give the command with --check, such as --check "make test" or --check "pytest {tests}".`,
  );
}
