import { ConfigError } from "../../harness/errors.ts";
import { quote } from "../../harness/sandbox/shell/quote.ts";

/** How a verifier runs tests: a command for bash, and whether it writes JUnit's report to `$FORGE_REPORT`. */
export interface TestCommand {
  readonly command: string;
  readonly report: boolean;
}

/**
 * The command that runs these test files, by what they are; `asked` replaces it, with `{tests}` for their names. Throws `ConfigError` where nothing is
 * known that runs them.
 */
export function testCommand(tests: readonly string[], asked: string | undefined): TestCommand {
  const words = (files: readonly string[]): string => files.map((path) => quote(path)).join(" ");
  if (asked !== undefined) return { command: asked.replaceAll("{tests}", words(tests)), report: false };
  const python = tests.filter((path) => /(^|\/)test_[^/]*\.py$|_test\.py$/.test(path));
  // `-P`: a file of the working directory cannot take the place of pytest itself.
  if (python.length > 0)
    return {
      command: `exec python3 -P -m pytest -q -p no:cacheprovider -o pythonpath=". src" --junitxml="$FORGE_REPORT" ${words(python)}`,
      report: true,
    };
  const script = tests.filter((path) => /[._-](test|spec)\.[cm]?js$/.test(path));
  if (script.length > 0) return { command: `exec node --test ${words(script)}`, report: false };
  throw new ConfigError(
    `No way is known to run ${tests[0]}. Say how with --check, such as --check "make test" or --check "pytest {tests}".`,
  );
}
