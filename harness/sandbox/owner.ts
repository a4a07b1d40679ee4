import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { codeOf } from "../errors.ts";

/** Who made something that must not outlive its maker: this process, told apart from a later one with the same id by its start time. */
export interface Owner {
  /** `<pid>-<start time in clock ticks since boot>`. */
  readonly process: string;
  /** Where that process id means something: machine, boot and process namespace. */
  readonly place: string;
}

export function thisOwner(): Owner {
  return { process: `${process.pid}-${startTime(process.pid) ?? 0}`, place: thisPlace() };
}

/** True only when it is certain that the owner has ended: on another machine or in another container it cannot be known. */
export function hasEnded(owner: Owner): boolean {
  const [pid = 0, start = 0] = owner.process.split("-").map(Number);
  if (owner.place === thisPlace()) return start === 0 ? !exists(pid) : startTime(pid) !== start;
  const [host, boot] = owner.place.split("/");
  const [hereHost, hereBoot] = thisPlace().split("/");
  return host === hereHost && boot !== hereBoot;
}

function thisPlace(): string {
  return `${hostname()}/${read(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim())}/${read(() => readlinkSync("/proc/self/ns/pid"))}`;
}

function startTime(pid: number): number | undefined {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  const field = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return field === undefined ? undefined : Number(field);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** Systems without /proc have no answer; "" is then the same for all. */
function read(from: () => string): string {
  try {
    return from();
  } catch {
    return "";
  }
}
