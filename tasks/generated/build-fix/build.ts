export type Files = Readonly<Record<string, string>>;

/** Something that a build needs and that can be wrong. */
export interface Fault {
  readonly name: string;
  /** What is seen, as a sentence. */
  readonly told: string;
  /** It only shows where one looks for it: what is asked for has a check of its own. */
  readonly quiet?: true;
  apply(files: Files): Files;
}

/** A program with all that it takes to build or start it. */
export interface Build {
  /** What this folder is, in sentences. */
  readonly about: string;
  readonly right: Files;
  /** At least three that are loud and one that is quiet; independent of each other. */
  readonly faults: readonly Fault[];
  /** What is asked for, by the names of the checks. */
  readonly asked: Readonly<Record<string, string>>;
  /** Python: a function for each of `asked`; `right` is the folder with the right files. */
  readonly verify: string;
  /** Shell that shows whether it works. */
  readonly attempt: string;
  /** Wrong solutions beside those that leave a fault. */
  readonly wrong: Readonly<Record<string, string>>;
  /** Folders in which everything is mended but for one plausible mistake, by its name. */
  readonly lapses: Readonly<Record<string, Files>>;
  /** Shell that changes what is to stay, once everything is mended. */
  readonly trespass: string;
}
