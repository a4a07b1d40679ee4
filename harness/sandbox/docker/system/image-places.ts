import { posix } from "node:path";

/** One thing in an image's file system. */
export interface ListedEntry {
  readonly type: "d" | "l" | "f";
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** What an image holds where it decides which programs run and what these read at their start, and what its own configuration and interpreters say of that. */
export interface SystemListing {
  /** By absolute path. */
  readonly entries: ReadonlyMap<string, ListedEntry>;
  /** The folders of its PATH. */
  readonly path: readonly string[];
  /** The homes of its accounts. */
  readonly homes: readonly string[];
  /** Where links among its programs lead in the end. */
  readonly targets: readonly string[];
  /** Folders in which an interpreter or a compiler looks for what it is asked to include, of each, in the order in which it looks. */
  readonly search: readonly (readonly string[])[];
  /** Folders of its LD_LIBRARY_PATH and PYTHONPATH. */
  readonly libraryPath: readonly string[];
  readonly pythonPath: readonly string[];
}

/** The places of an image that are not an agent's to change. */
export interface ImagePlaces {
  readonly image: SystemListing;
  readonly workdir: string;
  /** All folders in which programs are looked for. */
  readonly programFolders: ReadonlySet<string>;
  /** Interpreters with what belongs to them, outside the system's own folders: a virtual environment, Conda, Node in /opt. */
  readonly installations: readonly string[];
  /** Folders with Python's modules: the standard library's, and those that packages are installed to. */
  readonly pythonRoots: readonly string[];
  readonly homes: readonly string[];
  /** Names that a new file must not take in such a folder. */
  readonly programs: ReadonlySet<string>;
  readonly libraries: ReadonlySet<string>;
  readonly modules: ReadonlySet<string>;
  /** Of each of the search paths, what it has, relative to its folders: true for a folder. */
  readonly searched: readonly { readonly folders: readonly string[]; readonly known: ReadonlyMap<string, boolean> }[];
}

export const systemProgramFolders = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
const systemRoots = /^\/(usr|bin|sbin|lib|lib32|lib64|libx32|etc|proc|sys|dev|tmp)(\/|$)/;

/** Programs by which verifiers are run or set up; one that the image lacks is not taken from an agent either. */
const trusted = new Set(
  `sh bash dash zsh ksh env busybox python python2 python3 pytest py.test uv uvx pip pip3 pipx node npm npx yarn pnpm bun deno perl ruby php curl wget git
   apt apt-get dpkg sudo su setpriv runuser timeout make gcc g++ cc c++ ld`.split(/\s+/),
);
/** What makes a folder of programs an installation, besides those. */
const toolchains = new Set(
  "pypy pypy3 java javac go cargo rustc rustup conda mamba lua R Rscript julia ghc erl elixir dotnet swift gem".split(" "),
);

export const isTrusted = (program: string): boolean => trusted.has(program.replace(/[\d.]+$/, "")) || trusted.has(program);

/** Libraries, archives and objects that a loader or a linker finds by their names. */
export const isLibrary = (name: string): boolean => /\.so(\.|$)|\.[ao]$/.test(name);
export const moduleName = (entry: string): string => entry.replace(/\..*$/, "");
export const isWithin = (path: string, top: string): boolean => path === top || path.startsWith(top === "/" ? "/" : `${top}/`);
/** Python's own folder below a prefix, and the entry in it. */
export const pythonFolder = /^(.*\/lib\/python[\d.]+(?:\/(?:site|dist)-packages)?)\/([^/]+)/;

/** @param workdir where the agent works: what only serves its work is its own */
export function imagePlaces(image: SystemListing, workdir: string): ImagePlaces {
  const homes = [...new Set(["/root", ...image.homes])].filter((home) => home !== "/" && !systemRoots.test(home));
  const own = (folder: string): boolean => folder === "/" || isWithin(workdir, folder);
  const programFolders = new Set([
    ...systemProgramFolders,
    ...image.path,
    ...homes.flatMap((home) => [`${home}/.local/bin`, `${home}/bin`]),
  ]);
  const installations = [
    ...new Set([...image.path, ...image.targets.map((target) => posix.dirname(target))].flatMap((folder) => installationOf(folder))),
  ]
    .filter((top) => !own(top) && !homes.includes(top) && !systemRoots.test(top))
    .filter((top) => holdsInterpreter(image, top));
  const pythonRoots = ["/usr", "/usr/local", ...installations, ...homes.map((home) => `${home}/.local`)];
  const programs = new Set<string>();
  const libraries = new Set<string>();
  const modules = new Set<string>();
  for (const path of image.entries.keys()) {
    const name = posix.basename(path);
    const folder = posix.dirname(path);
    if (programFolders.has(folder) && !isWithin(folder, workdir)) programs.add(name);
    if (isLibrary(name) && !inPackages(path)) libraries.add(name);
    const [, , module] = pythonFolder.exec(path) ?? [];
    if (module !== undefined && !/^(site|dist)-packages$/.test(module)) modules.add(moduleName(module));
  }
  // What the interpreters look through outside these places, such as a PYTHONPATH of the workdir, is work.
  const search = [...image.search, image.pythonPath].map((folders) =>
    folders.filter((folder) => !isWithin(folder, workdir) && !own(folder)),
  );
  const searched = search.filter((folders) => folders.length > 0).map((folders) => ({ folders, known: knownBelow(image, folders) }));
  return { image, workdir, programFolders, installations, pythonRoots, homes, programs, libraries, modules, searched };
}

/** Packages bring libraries of their own, which no loader looks for by name. */
export const inPackages = (path: string): boolean => /\/((site|dist)-packages|node_modules|vendor_ruby)\//.test(path);

const programsFolder = /^(s?bin|\.bin|Scripts)$/;

function installationOf(folder: string): string[] {
  const top = programsFolder.test(posix.basename(folder)) ? posix.dirname(folder) : folder;
  return top === "/" ? [] : [top];
}

function holdsInterpreter({ entries }: SystemListing, top: string): boolean {
  if (entries.has(`${top}/pyvenv.cfg`) || entries.has(`${top}/conda-meta`)) return true;
  for (const path of entries.keys()) {
    if (!path.startsWith(`${top}/`)) continue;
    const name = posix.basename(path);
    const folder = posix.dirname(path);
    if ((folder === top || folder === `${top}/bin` || folder === `${top}/sbin`) && (isTrusted(name) || toolchains.has(name))) return true;
  }
  return false;
}

function knownBelow({ entries }: SystemListing, folders: readonly string[]): Map<string, boolean> {
  const known = new Map<string, boolean>();
  for (const [path, { type }] of entries)
    for (const folder of folders) if (path.startsWith(`${folder}/`)) known.set(path.slice(folder.length + 1), type === "d");
  return known;
}
