import { posix } from "node:path";
import {
  inPackages,
  isLibrary,
  isTrusted,
  isWithin,
  moduleName,
  pythonFolder,
  systemProgramFolders,
  type ImagePlaces,
} from "./image-places.ts";

/** One path that differs from the image, as the keeper of a container tells it. */
export interface FileChange {
  readonly path: string;
  readonly kind: "changed" | "added" | "removed";
}

export interface SystemRepair {
  /** To be brought from the image again; a folder without what it holds. */
  readonly restore: readonly string[];
  /** Folders to be brought again with all they hold. */
  readonly whole: readonly string[];
  /** To be taken away, tops only. */
  readonly remove: readonly string[];
  /** New, and to stay where they are folders: through a link in their place a program would find what lies elsewhere. */
  readonly folders: readonly string[];
  /** Lists of accounts: the image's lines are as they were, others stay. */
  readonly accounts: readonly string[];
  /** What the agent keeps without its being declared by name: it may have no rights but its user's. */
  readonly kept: readonly string[];
}

/** Whose a changed path is: the image's, or the agent's; `folder`: the agent's where it is a true folder; `accounts`: of both. */
export type Owner = "image" | "agent" | "folder" | "accounts";

/** Where the image is right: what it has there stays as it has it. */
const pinned = /^\/(usr(?!\/(?:local\/)?src\/)|bin|sbin|lib|lib32|lib64|libx32)(\/|$)|^\/var\/lib\/dpkg\/info(\/|$)/;
/** Below /etc: what says something of the machine and tells no program what to do, or is kept by those who install programs and by nobody read at a start. */
const machineFacts =
  /^\/etc\/(hostname|hosts|resolv\.conf|mtab|localtime|timezone|motd|issue(\.net)?|machine-id|mailname|shells|mailcap|[^/]*-|ssl\/certs|ca-certificates[^/]*|cron[^/]*|rc.\.d|systemd|\.pwd\.lock)(\/|$)/;
const accountLists = /^\/etc\/(passwd|group|shadow|gshadow|subuid|subgid)$/;
/** In /etc, where nothing new is taken: what is read by programs that were there before. */
const closedEtc =
  /^\/etc\/(ld\.so\.[^/]*|profile[^/]*|bash[^/]*|environment|csh[^/]*|zsh[^/]*|fish|python3[^/]*|pip\.conf|uv|xdg|npmrc|gitconfig|gitattributes|wgetrc|curlrc|inputrc|gdb|apt|sudoers[^/]*|security|skel|ssl(?!\/(?:certs|private)(?:\/|$))|php\/.*\/conf\.d)(\/|$)/;
/** Names and folders that programs of the image read by themselves wherever they are installed. */
const readAtStart =
  /\/(openssl\.cnf|pyvenv\.cfg|pybuilddir\.txt|npmrc|specs)$|\._pth$|\/lib\/python\d+\.zip$|\/(glibc-hwcaps|git-core\/templates|bfd-plugins|gdb\/auto-load|gconv)(\/|$)|^\/usr\/(local\/)?etc(\/|$)/;
const machinery = /^\/(tests|logs|solution)(\/|$)/;
/** Where every user may write, or where verifiers begin: what a program takes from the folder it is started in, or from one above. */
const above =
  /^(?:\/|\/tmp\/|\/var\/tmp\/)(conftest\.py|pytest\.ini|\.pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|__pycache__|node_modules|package\.json|\.npmrc|\.git|\.pdbrc)(\/|$)/;
/** Below a home: what shells, interpreters, git, package tools and clients of databases read at their start. */
const startFiles =
  /^\.((profile|bash[^/]*|login|logout|z(shrc|shenv|profile|login)|kshrc|c?shrc|tcshrc|inputrc|gitconfig|gitattributes|pydistutils\.cfg|pythonrc[^/]*|pdbrc(\.py)?|npmrc|yarnrc[^/]*|curlrc|wgetrc|netrc|pip|sqliterc|psqlrc|my\.cnf|mylogin\.cnf|gdbinit|lldbinit|Rprofile|Renviron|irbrc|gemrc|condarc|screenrc|terminfo|npm|node_modules|node_libraries|hgrc|pam_environment)|(config\/(git|pip|uv|python|fish|gdb|go|powershell))|(cache\/(pip|uv))|(julia\/config)|(m2\/settings\.xml)|(gradle\/(init\.gradle[^/]*|init\.d|gradle\.properties))|(cargo\/(config(\.toml)?|env))|(ssh\/(rc|environment))|(bundle\/config))(\/|$)/;

/** Folders above such files. */
const startFolders = /^\.(local|config|cache|julia|m2|gradle|cargo|ssh|bundle)$/;

interface Judged {
  readonly owner: Owner;
  /** Whoever declares this path, or one below it, leaves it to the agent. Left out: nobody can. */
  readonly top?: string;
}

/**
 * Whose `path` is where a verifier starts from what an agent left: shells, interpreters, libraries, the loader's and other configuration, programs on the
 * PATH and what any of them reads at its start are as the image has them. What an agent installed besides is its own.
 * @param own declared paths, absolute: one that names such a place, or lies in it, leaves it to the agent; one above it does not
 */
export function ownerOf({ path, kind }: FileChange, places: ImagePlaces, own: readonly string[] = []): Owner {
  const { owner, top } = judge(path, kind === "added", places);
  if (owner === "agent" || top === undefined) return owner;
  return own.some((declared) => isWithin(path, declared) && isWithin(declared, top)) ? "agent" : owner;
}

const agents: Judged = { owner: "agent" };
const images = (top: string): Judged => ({ owner: "image", top });

function judge(path: string, added: boolean, places: ImagePlaces): Judged {
  const { image, homes } = places;
  if (machinery.test(path)) return { owner: "image" };
  if (above.test(path) || isModuleAbove(path, places)) return added || image.entries.has(path) ? images(path) : agents;
  for (const home of homes) {
    const [start] = path.startsWith(`${home}/`) ? (startFiles.exec(path.slice(home.length + 1)) ?? []) : [];
    if (start !== undefined) return images(`${home}/${start.replace(/\/$/, "")}`);
  }
  if (path.startsWith("/etc/")) return judgeEtc(path, added, places);
  return added ? judgeNew(path, places) : judgeOld(path, places);
}

function judgeEtc(path: string, added: boolean, places: ImagePlaces): Judged {
  if (accountLists.test(path)) return { owner: "accounts", top: path };
  if (machineFacts.test(path)) return agents;
  const top = /^\/etc\/[^/]+/.exec(path)?.[0] ?? path;
  return added && !closedEtc.test(path) ? (judgeIncluded(path, places) ?? agents) : images(top);
}

/** Python takes modules from the folder in which it is started. */
function isModuleAbove(path: string, { modules }: ImagePlaces): boolean {
  const [, name, inside] = /^(?:\/|\/tmp\/|\/var\/tmp\/)([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
  if (name === undefined) return false;
  return /\.(py|pyc|so)$/.test(name)
    ? modules.has(moduleName(name))
    : inside !== undefined && inside.startsWith("__init__.") && modules.has(name);
}

/** What the image has. */
function judgeOld(path: string, places: ImagePlaces): Judged {
  const { image, installations, programFolders } = places;
  const installation = installations.find((top) => isWithin(path, top));
  if (installation !== undefined) return images(installation);
  const folder = posix.dirname(path);
  if (programFolders.has(folder)) {
    const known = isKnownProgram(posix.basename(path), folder, places);
    // In a workdir on the PATH the programs are work, but for those that a verifier means when it names them.
    if (isWithin(path, places.workdir)) return known ? images(path) : agents;
    return images(known ? path : folder);
  }
  if (pinned.test(path) || path === "/etc") return images(/^\/[^/]+/.exec(path)?.[0] ?? path);
  if (image.pythonPath.some((top) => isWithin(path, top) && !isWithin(top, places.workdir) && !isWithin(places.workdir, top)))
    return images(path);
  const led = leadsTo(path, places);
  return led === "there" ? images(path) : led === "above" ? { owner: "image" } : agents;
}

/** Folders on the way to those in which programs are looked for, or start files, are folders: a link in their place would lead elsewhere. */
function leadsTo(path: string, { programFolders, installations, homes }: ImagePlaces): "there" | "above" | undefined {
  if (programFolders.has(path)) return "there";
  // Whether others may enter a home is the agent's to say.
  if (homes.some((home) => isWithin(home, path))) return undefined;
  for (const folder of [...programFolders, ...installations]) if (isWithin(folder, path)) return "above";
  return homes.some((home) => path.startsWith(`${home}/`) && startFolders.test(path.slice(home.length + 1))) ? "there" : undefined;
}

/** Known elsewhere: whoever calls a program by that name does not mean this one. */
function isKnownProgram(name: string, folder: string, { programs, image }: ImagePlaces): boolean {
  if (isTrusted(name)) return true;
  if (!programs.has(name)) return false;
  return systemProgramFolders.concat(image.path).some((other) => other !== folder && image.entries.has(`${other}/${name}`));
}

/** What the image has not. */
function judgeNew(path: string, places: ImagePlaces): Judged {
  const { image, installations, programFolders, programs, pythonRoots } = places;
  const name = posix.basename(path);
  const inSystem = pinned.test(path) || installations.some((top) => isWithin(path, top));
  if (inSystem && readAtStart.test(path)) return images(path);
  if (programFolders.has(posix.dirname(path)))
    return programs.has(name) || isTrusted(name) || readAtStart.test(path) ? images(path) : agents;
  if (inSystem || image.libraryPath.some((folder) => isWithin(path, folder))) {
    if (isLibrary(name) && !inPackages(path) && places.libraries.has(name)) return images(path);
    // A compiler takes the programs that it calls from its own folders first.
    if (/\/(lib|lib32|lib64|libexec)\//.test(path) && !inPackages(path) && programs.has(name)) return images(path);
    // Bytecode beside a source of the image's would be run instead of it.
    const source = path.replace(/\/__pycache__(\/.*)?$/, "");
    if (source !== path) return image.entries.has(source) ? images(path) : agents;
  }
  const found = judgeModule(path, places) ?? judgeIncluded(path, places);
  if (found) return found;
  // Python's folders of a home that has none yet, and folders of the PATH that the image lacks.
  const toModules = /\/lib(\/python[\d.]+(\/(site|dist)-packages)?)?$/.test(path) && pythonRoots.some((root) => isWithin(path, root));
  return toModules || leadsTo(path, places) ? { owner: "folder", top: path } : agents;
}

function judgeModule(path: string, { pythonRoots, modules }: ImagePlaces): Judged | undefined {
  const [, folder, module] = pythonFolder.exec(path) ?? [];
  if (folder === undefined || module === undefined || !pythonRoots.some((root) => path.startsWith(`${root}/lib/python`))) return undefined;
  if (/^(site|dist)-packages$/.test(module)) return { owner: "folder", top: path };
  const entry = images(`${folder}/${module}`);
  if (/^(sitecustomize|usercustomize)(\.|$)|\.(pth|egg-link)$/.test(module)) return entry;
  if (/\.(dist|egg)-info$/.test(module)) return posix.basename(path) === "entry_points.txt" ? entry : agents;
  // In the standard library's own folder nothing is new; elsewhere no name that the image knows.
  return /python[\d.]+$/.test(folder) || modules.has(moduleName(module)) ? entry : undefined;
}

/** A file that would be found before the image's file of the same name. */
function judgeIncluded(path: string, { searched }: ImagePlaces): Judged | undefined {
  for (const { folders, known } of searched)
    for (const folder of folders) {
      if (!isWithin(path, folder)) continue;
      if (path === folder) return { owner: "folder", top: path };
      const relative = path.slice(folder.length + 1);
      const is = known.get(relative);
      if (is === false) return images(path);
      if (is === true) return { owner: "folder", top: path };
      if (/^sitecustomize\.pl$/.test(relative)) return images(path);
    }
  return undefined;
}

/** What must be done before anything is run in a file system that an agent had all to itself. */
export function repairOf(changes: readonly FileChange[], places: ImagePlaces, own: readonly string[] = []): SystemRepair {
  const { entries } = places.image;
  const sets = { restore: new Set<string>(), whole: new Set<string>(), remove: new Set<string>(), folders: new Set<string>() };
  const accounts: string[] = [];
  const kept: string[] = [];
  for (const change of changes) {
    const { path, kind } = change;
    const owner = ownerOf(change, places, own);
    if (owner === "accounts" && entries.get(path)?.type === "f") accounts.push(path);
    else if (owner === "agent" || (owner === "accounts" && kind === "added")) {
      if (kind !== "removed" && !own.includes(path)) kept.push(path);
    } else if (owner === "folder") {
      sets.folders.add(path);
      kept.push(path);
    } else if (entries.has(path)) (kind === "removed" && entries.get(path)?.type === "d" ? sets.whole : sets.restore).add(path);
    else if (kind === "added" || machinery.test(path)) sets.remove.add(topOf(path));
  }
  return {
    restore: [...sets.restore],
    whole: [...sets.whole],
    remove: [...sets.remove],
    folders: [...sets.folders],
    accounts,
    kept,
  };
}

/** The folders of the task's own machinery go as a whole. */
function topOf(path: string): string {
  return /^\/(tests|logs|solution)(?=\/|$)/.exec(path)?.[0] ?? path;
}
