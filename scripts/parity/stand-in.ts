import { baseImage } from "../../harness/sandbox/base-image.ts";
import { baseImages, replaceBaseImages } from "../../harness/sandbox/dockerfile.ts";

const apt = (packages: string): string =>
  `RUN apt-get update && apt-get install -y --no-install-recommends ${packages} && rm -rf /var/lib/apt/lists/*`;

/** What stands in for the official image of a name: Forge's base image with these further lines. */
const standIns: ReadonlyMap<string, readonly string[]> = new Map([
  ["debian", []],
  ["ubuntu", []],
  // With pip and the name `python`, and without Debian's lock on its own packages, which official images do not have.
  ["python", [apt("python3-pip python3-venv"), "RUN rm -f /usr/lib/python3*/EXTERNALLY-MANAGED && ln -sf python3 /usr/bin/python"]],
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

/** Where a stand-in keeps the certificates of this machine: not where an image's own package would write over them. */
const certificates = "/etc/forge-parity.pem";

/**
 * How to make one of the images that `standIn` names; undefined for Forge's base image, which is made otherwise.
 * @param withCertificates the build's context has this machine's certificates as `ca.pem`: a proxy's among them must be trusted by pip
 */
export function dockerfileOf(tag: string, withCertificates: boolean): string | undefined {
  const name = [...standIns.keys()].find((one) => tagOf(one) === tag && tag !== baseImage);
  if (name === undefined) return undefined;
  const trust = [`COPY ca.pem ${certificates}`, `RUN printf '[global]\\ncert = ${certificates}\\n' > /etc/pip.conf`];
  return `${[`FROM ${baseImage}`, ...(standIns.get(name) ?? []), ...(withCertificates ? trust : [])].join("\n")}\n`;
}

const tagOf = (name: string): string => ((standIns.get(name)?.length ?? 0) === 0 ? baseImage : `forge-parity/${name}:bookworm`);
