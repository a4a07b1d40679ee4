import { availableParallelism } from "node:os";
import type Docker from "dockerode";
import { createSemaphore, type Semaphore } from "../../../semaphore.ts";

/** What keeps a daemon busy; the rest is quick, or a stream that stays open. */
const heavy: readonly (readonly [method: string, path: RegExp])[] = [
  ["POST", /^\/containers\/(create\b|[^/]+\/(start|stop|kill|restart)\b)/],
  ["DELETE", /^\/containers\//],
  ["PUT", /^\/containers\/[^/]+\/archive\b/],
  ["GET", /^\/containers\/[^/]+\/(archive|changes)\b/],
  ["POST", /^\/commit\b/],
];
/** More at once make each slower, and all together no faster. */
const perCpu = 2;
const fewest = 4;

/** What a daemon answers soon, or not at all: a container that someone paused can keep it from ever answering. Others take their time, or are streams. */
const soon: readonly (readonly [method: string, path: RegExp])[] = [
  ["POST", /^\/containers\/(create\b|[^/]+\/(start|stop|kill|restart|exec)\b)/],
  ["GET", /^\/(containers\/[^/]+\/(json|top)|exec\/[^/]+\/json)\b/],
  ["DELETE", /^\/containers\//],
];
/** Far longer than a busy daemon takes. */
const longestAnswerMs = 120_000;

type Callback = (error: unknown, data?: unknown) => void;
interface Dialer {
  dial(options: { readonly method?: string; readonly path?: string; abortSignal?: AbortSignal }, callback: Callback): void;
}

const bounds = new WeakMap<Docker, Semaphore>();

/**
 * Makes the client ask its daemon for few heavy operations at a time, about twice as many as it has processors, first taken to be as many as here; and
 * makes an answer that does not come in `answerMs` an error.
 */
export function boundOperations(docker: Docker, { answerMs = longestAnswerMs }: { readonly answerMs?: number } = {}): Docker {
  const semaphore = createSemaphore(widthFor(availableParallelism()));
  bounds.set(docker, semaphore);
  const modem = docker.modem as Dialer; // `any` in its types; every request goes through this method
  const plain = modem.dial.bind(modem);
  const dial: Dialer["dial"] = (options, callback) => {
    const { method = "GET", path = "" } = options;
    if (!soon.some(([verb, pattern]) => verb === method && pattern.test(path))) return plain(options, callback);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), answerMs);
    plain({ ...options, abortSignal: late.signal }, (error, data) => {
      clearTimeout(timer);
      const says = `The daemon did not respond to ${method} ${path.split("?")[0]} within ${answerMs / 1000} s`;
      callback(late.signal.aborted ? new Error(says) : error, data);
    });
  };
  modem.dial = (options, callback) => {
    const { method = "GET", path = "" } = options;
    if (!heavy.some(([verb, pattern]) => verb === method && pattern.test(path))) return dial(options, callback);
    void afterTurn();

    async function afterTurn(): Promise<void> {
      const leave = await semaphore.acquire();
      dial(options, (error, data) => {
        leave();
        callback(error, data);
      });
    }
  };
  return docker;
}

/** When the daemon has said how many processors it has. */
export function boundFor(docker: Docker, cpus: number): void {
  bounds.get(docker)?.resize(widthFor(cpus));
}

const widthFor = (cpus: number): number => Math.max(fewest, cpus * perCpu);
