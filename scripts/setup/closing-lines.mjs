// What npm test ends with.

/**
 * @typedef {{ what: string, test: string, reason: string, cure: string }} Skip one line of FORGE_SKIPS_FILE
 * @typedef {object} Report the part of vitest's JSON report that is read here
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {{ status: string, assertionResults: unknown[] }[]} testResults one a file
 */

/**
 * The list of skips with their cures, then `N passed, N failed` alone on the last line, for whatever reads the log.
 * @param {Skip[]} skips
 * @param {Report} report
 * @param {boolean} skipFails whether a skipped test counts as failed (`FORGE_REQUIRE=all`)
 * @returns {{ lines: string[], failed: number }}
 */
export function closingLines(skips, report, skipFails) {
  const { numPassedTests: passed, numFailedTests, numPendingTests: skipped, testResults } = report;
  const lines = skips.length > 0 ? ["", "Skipped, because something is missing here:"] : [];
  for (const what of new Set(skips.map((skip) => skip.what))) {
    const these = skips.filter((skip) => skip.what === what);
    const tests = [...new Set(these.map((skip) => skip.test))].toSorted();
    for (const { reason, cure } of these.slice(0, 1)) lines.push(`  ${what}: ${reason}`, `    to provide it: ${cure}`);
    lines.push(`    tests: ${tests.join(", ")}`);
  }
  // A file that fails before its first test counts as one failure.
  const broken = testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0).length;
  const failed = numFailedTests + broken + (skipFails ? skipped : 0);
  lines.push("", skipFails && skipped > 0 ? `${skipped} skipped, each a failure (FORGE_REQUIRE=all)` : `${skipped} skipped`);
  return { lines: [...lines, `${passed} passed, ${failed} failed`], failed };
}
