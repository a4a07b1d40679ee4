/** The near end of an interactive shell: usually this process's own terminal. */
export interface Terminal {
  /** In raw mode where it is a terminal, so that Ctrl-C reaches the shell and not this process. */
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  /** `resize` is told to the shell. */
  readonly output: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
  /** Aborted: the shell is left. */
  readonly signal: AbortSignal;
  /** Default: what TERM says in a plain terminal. */
  readonly term?: string;
  /** Whose shell it is; default: the container's own user. */
  readonly user?: string;
}
