import { posix } from "node:path";

/** One path that differs from the image, as the keeper of a container tells it. */
export interface FileChange {
  readonly path: string;
  readonly kind: "changed" | "added" | "removed";
}

/** What an image holds in the folders that decide which programs run, by absolute path. */
export interface SystemListing {
  readonly entries: ReadonlyMap<
    string,
    { readonly type: "d" | "l" | "f"; /** Permission bits. */ readonly mode: number; readonly uid: number; readonly gid: number }
  >;
}

export interface SystemRepair {
  /** To be brought from the image again; a folder without what it holds. */
  readonly restore: readonly string[];
  /** Folders to be brought again with all they hold. */
  readonly whole: readonly string[];
  /** To be taken away, tops only. */
  readonly remove: readonly string[];
}

/** Where the image is right: what it has there stays as it has it. */
const pinned =
  /^\/(usr(?!\/src\/)|bin|sbin|lib|lib32|lib64|libx32)(\/|$)|^\/etc\/(ld\.so\.|profile|bash|environment$|zsh|python3|pip\.conf|gitconfig|alternatives(\/|$)|nsswitch\.conf$|apt(\/|$)|inputrc$|sudoers|pam\.d(\/|$))/;
/** Of the same, where nothing new is taken either. */
const closed =
  /^\/etc\/(ld\.so\.|profile|bash|environment$|zsh|python3|pip\.conf|gitconfig|apt(\/|$)|sudoers)|\/glibc-hwcaps(\/|$)|^\/(tests|logs|solution)(\/|$)|^\/(conftest\.py|pytest\.ini|\.pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|__pycache__)(\/|$)/;
/** Below a home: what shells, Python, git and package tools read at their start. */
const startFiles =
  /^\/(root|home\/[^/]+)\/(\.(profile|bash[^/]*|z(shrc|shenv|profile|login)|kshrc|shrc|inputrc|gitconfig|pydistutils\.cfg|pythonrc[^/]*|pdbrc|npmrc|curlrc|wgetrc|netrc|pip)(\/|$)|\.config\/(git|pip|uv|python|fish)(\/|$)|\.local\/(bin|lib)(\/|$)|\.cache\/(pip|uv)(\/|$)|bin(\/|$))/;
const programFolders = /^\/(usr\/(local\/)?)?s?bin\/([^/]+)$/;
const libraryFolders = /^\/(usr\/(local\/)?)?lib(32|64|x32|exec)?\//;
const pythonFolder = /^(\/usr\/(?:local\/)?lib\/python[\d.]+(?:\/(?:site|dist)-packages)?)\/([^/]+)/;
const anySite = /\/(?:site|dist)-packages\/([^/]+)/;

/** Programs by which verifiers are run or set up; one that the image lacks is not taken from an agent either. */
const trusted = new Set(
  `sh bash dash zsh ksh env busybox python python2 python3 pytest py.test uv uvx pip pip3 pipx node npm npx yarn pnpm bun deno perl ruby php curl wget git
   apt apt-get dpkg sudo su setpriv runuser timeout make gcc g++ cc c++ ld`.split(/\s+/),
);

/**
 * What must be as the image has it before anything is run in a file system that an agent had all to itself: shells, interpreters, libraries, the
 * loader's configuration, profile files, places on the PATH, what Python reads at its start. What an agent installed besides stays.
 * @param own declared paths, absolute: all below them is the agent's
 */
export function repairOf(changes: readonly FileChange[], image: SystemListing, own: readonly string[] = []): SystemRepair {
  const known = namesOf(image);
  const restore: string[] = [];
  const whole: string[] = [];
  const remove: string[] = [];
  for (const { path, kind } of changes) {
    if (own.some((top) => path === top || path.startsWith(`${top}/`))) continue;
    if (kind === "added" ? isRefused(path, image, known) : closed.test(path) && !image.entries.has(path)) remove.push(top(path));
    else if (kind !== "added" && (pinned.test(path) || startFiles.test(path)) && image.entries.has(path))
      (kind === "removed" && image.entries.get(path)?.type === "d" ? whole : restore).push(path);
  }
  return { restore: [...new Set(restore)], whole: [...new Set(whole)], remove: [...new Set(remove)] };
}

/** The folders of the task's own machinery go as a whole. */
function top(path: string): string {
  return /^\/(tests|logs|solution)(?=\/|$)/.exec(path)?.[0] ?? path;
}

interface KnownNames {
  readonly programs: ReadonlySet<string>;
  readonly libraries: ReadonlySet<string>;
  readonly modules: ReadonlySet<string>;
}

function isRefused(path: string, image: SystemListing, known: KnownNames): boolean {
  if (closed.test(path) || startFiles.test(path)) return true;
  const name = posix.basename(path);
  const program = programFolders.exec(path)?.[3];
  if (program !== undefined) return known.programs.has(program) || trusted.has(program.replace(/[\d.]+$/, "")) || trusted.has(program);
  if (libraryFolders.test(path) && /\.so(\.|$)/.test(name) && known.libraries.has(name)) return true;
  // Bytecode beside a source of the image's would be run instead of it.
  if (pinned.test(path) && /\/__pycache__(\/|$)/.test(path)) return image.entries.has(path.replace(/\/__pycache__(\/.*)?$/, ""));
  const [, folder, module] = pythonFolder.exec(path) ?? [];
  if (folder === undefined || module === undefined) return false;
  if (/^(site|dist)-packages$/.test(module)) return false;
  if (/^(sitecustomize|usercustomize)(\.|$)|\.(pth|egg-link)$/.test(module)) return true;
  if (/\.(dist|egg)-info$/.test(module)) return name === "entry_points.txt";
  // In the standard library's own folder nothing is new; elsewhere no name that the image knows.
  return /python[\d.]+$/.test(folder) || known.modules.has(moduleName(module));
}

function namesOf(image: SystemListing): KnownNames {
  const programs = new Set<string>();
  const libraries = new Set<string>();
  const modules = new Set<string>();
  for (const path of image.entries.keys()) {
    const program = programFolders.exec(path)?.[3];
    if (program !== undefined) programs.add(program);
    if (/\.so(\.|$)/.test(posix.basename(path))) libraries.add(posix.basename(path));
    const module = anySite.exec(path)?.[1] ?? pythonFolder.exec(path)?.[2];
    if (module !== undefined && !/^(site|dist)-packages$/.test(module)) modules.add(moduleName(module));
  }
  return { programs, libraries, modules };
}

const moduleName = (entry: string): string => entry.replace(/\..*$/, "");
