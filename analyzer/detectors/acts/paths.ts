export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const testPlace = /(?:^|\/)(?:tests?|__tests__|specs?|testing)\//i;
const testName = /^tests?[._-]|[._-](?:tests?|spec)\.\w+$|^conftest\.py$/i;
/** A test of the project, by its name or place. */
export const isTest = (path: string): boolean => testPlace.test(path) || testName.test(baseName(path));

const scratchName =
  /^(?:repro\w*|debug\w*|verify\w*|check\w*|try\w*|tmp\w*|temp\w*|scratch\w*|demo\w*|example\w*|explore\w*|find_\w+|modify_\w+|apply_\w+|fix_\w+|patch_\w+|update_\w+|test\w*)\.(?:py|js|ts|mjs|cjs|sh|rb|go|txt|md|log|out|diff|patch)$/i;
/** What an agent writes for itself: outside the project, or named like an attempt. */
const isScratch = (path: string): boolean =>
  /^(?:\/tmp\/|\/var\/tmp\/|\/dev\/)/.test(path) || scratchName.test(baseName(path)) || /\.(?:log|out|diff|patch|orig|bak)$/.test(path);

/** A file of the work itself, neither a test nor scratch. */
export const isProduct = (path: string): boolean => !isTest(path) && !isScratch(path);

const extensions =
  "py|js|jsx|ts|tsx|mjs|cjs|json|ya?ml|toml|txt|csv|tsv|md|sh|c|h|cpp|hpp|rs|go|java|rb|php|html|css|sql|xml|ini|cfg|conf|log|pem|png|svg|R|ics|db|parquet|npy|pdb|fasta|pyx|so|lock";
const named = new RegExp(
  String.raw`(?<![\w./~-])((?:~?/|\./)?(?:[\w@+-][\w.@+-]*/){0,12}[\w@+-][\w.@+-]*\.(?:${extensions}))(?![\w/-]|\.\w)`,
  "g",
);
/** Names of files in a text. */
export const filesIn = (text: string): string[] => [...new Set([...text.slice(0, 60_000).matchAll(named)].map(([, path = ""]) => path))];
