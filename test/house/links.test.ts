import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const pages = execFileSync("git", ["ls-files", "*.md", ":!tasks/suites", ":!test/fixtures"], { encoding: "utf8" })
  .split("\n")
  .filter((page) => page !== "" && existsSync(page));

/** Neither code nor links in it. */
const proseOf = (page: string): string =>
  readFileSync(page, "utf8")
    .replace(/^```[^]*?^```/gm, "")
    .replace(/`[^`\n]*`/g, "");

/** As GitHub makes the anchor of a heading; a repeated heading gets a number there, and no page links to one. */
const anchorsOf = (page: string): string[] =>
  [
    ...readFileSync(page, "utf8")
      .replace(/^```[^]*?^```/gm, "")
      .matchAll(/^#+ (.*)$/gm),
  ].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

const links = pages.flatMap((page) =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = "", anchor = ""] = target.split("#");
      return { page, target, file: path === "" ? page : join(dirname(page), path), anchor };
    }),
);

/** What `files` of package.json takes along; images stay in the repository, where their words stand for them. */
const inPackage = (file: string): boolean =>
  /^(?:README|CHANGELOG|CONTRIBUTING|SECURITY)\.md$|^LICENSE$|^docs\//.test(file) && !/^docs\/(?:lab|results)(?:\/|$)/.test(file);

it("has no link in its pages to a file or a heading that is not there", () => {
  expect(links.length).toBeGreaterThan(50);
  const broken = links.filter(
    ({ file, anchor }) => !existsSync(file) || (anchor !== "" && file.endsWith(".md") && !anchorsOf(file).includes(anchor)),
  );
  expect(broken.map(({ page, target }) => `${page}: ${target}`)).toEqual([]);
});

it("links from a page of the package only to what the package has, but for addresses", () => {
  const leading = links.filter(({ page, file }) => inPackage(page) && !inPackage(file));
  expect(leading.map(({ page, target }) => `${page}: ${target}`)).toEqual([]);
});
