/** Endings of names that are surely files; a word with another ending may be a module, a host or a version. */
const endings = (
  "txt md rst csv tsv json jsonl ndjson yaml yml toml ini cfg conf xml html htm css scss js mjs cjs jsx ts mts tsx py ipynb sh bash rb go rs " +
  "java kt c h cc cpp hpp cs php pl lua sql db sqlite log out dat bin png jpg jpeg gif svg webp pdf zip tar gz tgz bz2 xz patch diff tex jl swift " +
  "scala ex exs hs ml el parquet npy pkl wav mp3 ics pem crt"
).split(" ");

/** Names with such an ending that are no files. */
const products = new Set(
  "node.js next.js vue.js nuxt.js express.js three.js d3.js react.js chart.js discord.js ember.js backbone.js console.log math.log np.log system.out asp.net socket.io".split(
    " ",
  ),
);

/** Where the verifier of a benchmark lives: never asked about, whatever a task's text says. */
const notOurs = /^\/(?:tests|solution|logs|oracle|proc|sys|dev)(?:\/|$)/;

const fileName = new RegExp(
  `(?<=^|[\\s"'\`(\\[{<=:,])((?:~/|/|\\.{1,2}/)?(?:[\\w@+-][\\w.@+-]*/|\\.[\\w-]+/)*(?:[\\w@+-][\\w.@+-]*)\\.(?:${endings.join("|")}))(?=$|[\\s"'\`)\\]}>,;:!?]|\\.(?=$|[\\s"'\`)]))`,
  "gi",
);

/** A file name in a text and where it begins. */
export interface Named {
  readonly path: string;
  readonly index: number;
}

/** The plausible file names in a text: no addresses, no patterns, no placeholders, nothing without a known ending. */
export function fileNames(text: string): Named[] {
  const blanked = text.replace(/\S+/g, (token) => (isNoName(token) ? " ".repeat(token.length) : token));
  return [...blanked.matchAll(fileName)].flatMap((match) => {
    const path = match[1] ?? "";
    const plausible =
      !products.has(path.toLowerCase()) && !notOurs.test(path) && !path.startsWith("~") && !/^\d+(?:\.\d+)*\.\w$/.test(path);
    return plausible ? [{ path, index: match.index }] : [];
  });
}

/** Addresses, patterns, placeholders, and what is too long to be a name anyone wrote. Word by word, so that the time is linear. */
const isNoName = (token: string): boolean => token.length > 300 || /:\/\/|[*{}<>$]|\w@\w[^/@]*\.\w/.test(token);

/** Prose without fenced code and without inline code that is a command; of inline code that is a name the name stays. Lengths are not kept. */
export function proseOf(text: string): string {
  return text
    .replace(/```[\s\S]*?(?:```|$)/g, "\n")
    .replace(/`([^`\n]*)`/g, (_, code: string) => (/\s/.test(code.trim()) ? " … " : `\`${code.trim()}\``));
}

/** Sentences and list items: a full stop ends one where white space follows. */
export function sentencesOf(text: string): string[] {
  return text
    .replace(/([^\n.!?:;])\n(?![\n\s]*(?:[-*#>]|\d+[.)]))(?=\S)/g, "$1 ")
    .split(/\n+|(?<=[.!?;])\s+/)
    .filter((sentence) => sentence.trim() !== "");
}

/** The sentence with its file names made unreadable, places kept: `rename.sh` says nothing about renaming. */
export function maskNames(sentence: string): string {
  return fileNames(sentence).reduce(
    (masked, { path, index }) => masked.slice(0, index) + "_".repeat(path.length) + masked.slice(index + path.length),
    sentence,
  );
}
