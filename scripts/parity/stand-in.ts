import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { glob } from "tinyglobby";
import { baseImage } from "../../harness/sandbox/docker/image/base-image.ts";
import { baseImages, replaceBaseImages } from "../../harness/sandbox/dockerfile/parse-dockerfile.ts";

const apt = (packages: string): string =>
  `RUN apt-get update && apt-get install -y --no-install-recommends ${packages} && rm -rf /var/lib/apt/lists/*`;

/** Where the stand-ins keep `uv`: not where a command line finds it before its installer has run. */
const uv = "/opt/forge-parity";

/**
 * Many tests fetch the installer of `uv` from a server of its own. A `curl` before the real one answers that address with the `uv` of the package index,
 * and leaves every other to the real one.
 */
const uvInstaller = [
  `RUN pip3 install --break-system-packages --no-cache-dir --target ${uv} uv==0.7.13`,
  `RUN printf '%s\\n' 'mkdir -p "$HOME/.local/bin"' 'cp ${uv}/bin/uv ${uv}/bin/uvx "$HOME/.local/bin/"' \
  'echo "export PATH=\\"\\$HOME/.local/bin:\\$PATH\\"" > "$HOME/.local/bin/env"' > ${uv}/install.sh \
  && printf '%s\\n' '#!/bin/sh' 'for word; do case "$word" in https://astral.sh/uv/*install.sh) exec cat ${uv}/install.sh;; esac; done' \
  'exec /usr/bin/curl "$@"' > /usr/local/bin/curl && chmod +x /usr/local/bin/curl`,
  "ENV UV_PYTHON_DOWNLOADS=never UV_NATIVE_TLS=true UV_LINK_MODE=copy",
];

const python = [
  apt("python3-pip python3-venv curl"),
  // Debian's lock on its own packages and its name of the interpreter are not what official images have.
  "RUN rm -f /usr/lib/python3*/EXTERNALLY-MANAGED && ln -sf python3 /usr/bin/python",
  ...uvInstaller,
];
/** What the images that Terminal-Bench 1 publishes for its tasks hold. */
const terminalBench = [apt("tmux asciinema"), "WORKDIR /app"];

/** What stands in for the official image of a name: Forge's base image with these further lines. */
const standIns: ReadonlyMap<string, readonly string[]> = new Map([
  ["debian", []],
  ["ubuntu", [apt("python3-pip curl"), ...uvInstaller]],
  ["python", python],
  ["ubuntu-24-04", [apt("python3-pip python3-venv curl"), ...uvInstaller, ...terminalBench]],
  ["python-3-13", [...python, ...terminalBench]],
  ["gcc", [apt("build-essential curl wget")]],
  ["node", [apt("nodejs npm curl wget")]],
]);

export interface StoodIn {
  readonly dockerfile: string;
  /** Images that the new text needs, to be made before it is built: see `dockerfileOf`. */
  readonly needs: readonly string[];
  /** Images for which nothing here can stand in. */
  readonly missing: readonly string[];
}

/**
 * A Dockerfile whose base images are replaced by ones that can be made without an image registry. Both runners get the same text, so that
 * nothing but the runner differs. @param isHere whether an image is on this machine and may stay
 */
export function standIn(dockerfile: string, isHere: (image: string) => boolean): StoodIn {
  const replacements = new Map<number, string>();
  const missing: string[] = [];
  for (const { image, line } of baseImages(dockerfile)) {
    if (isHere(image)) continue;
    const name = image.split("@")[0]?.split(":")[0]?.split("/").at(-1) ?? "";
    if (standIns.has(name)) replacements.set(line, tagOf(name));
    else missing.push(image);
  }
  const text = replacements.size === 0 ? dockerfile : replaceBaseImages(dockerfile, replacements);
  return { dockerfile: text, needs: [...new Set(replacements.values())], missing };
}

/** The same for every Dockerfile of a task. `dockerfiles`: the new texts, by their path in the folder. */
export async function standInsOf(
  folder: string,
  isHere: (image: string) => boolean,
): Promise<{ readonly dockerfiles: ReadonlyMap<string, string> } & Pick<StoodIn, "needs" | "missing">> {
  const paths = await glob("**/Dockerfile", { cwd: folder, dot: true, followSymbolicLinks: false });
  const all = await Promise.all(
    paths.toSorted().map(async (path) => [path, standIn(await readFile(join(folder, path), "utf8"), isHere)] as const),
  );
  return {
    dockerfiles: new Map(all.map(([path, { dockerfile }]) => [path, dockerfile])),
    needs: [...new Set(all.flatMap(([, { needs }]) => needs))],
    missing: [...new Set(all.flatMap(([, { missing }]) => missing))],
  };
}

/** Where a stand-in keeps the certificates of this machine: not where an image's own package would write over them. */
const certificates = "/etc/forge-parity.pem";

/**
 * How to make one of the images that `standIn` names; undefined for Forge's base image, which is made otherwise.
 * @param withCertificates the build's context has this machine's certificates as `ca.pem`: a proxy's among them must be trusted by pip
 */
export function dockerfileOf(tag: string, withCertificates: boolean): string | undefined {
  const name = [...standIns.keys()].find((one) => tagOf(one) === tag && tag !== baseImage);
  if (name === undefined) return undefined;
  const trust = [
    `COPY ca.pem ${certificates}`,
    `RUN printf '[global]\\ncert = ${certificates}\\n' > /etc/pip.conf`,
    `ENV SSL_CERT_FILE=${certificates}`,
  ];
  return `${[`FROM ${baseImage}`, ...(withCertificates ? trust : []), ...(standIns.get(name) ?? [])].join("\n")}\n`;
}

const tagOf = (name: string): string => ((standIns.get(name)?.length ?? 0) === 0 ? baseImage : `forge-parity/${name}:bookworm-2`);
