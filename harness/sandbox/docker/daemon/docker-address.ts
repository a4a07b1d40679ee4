import { ConfigError } from "../../../errors.ts";

/** Addresses of daemons as a user may write them. @throws ConfigError with the cure. */
export function checkAddress(address: string): string {
  const known = /^(unix:\/\/\/.|(ssh|tcp|https?):\/\/[^/\s])/.test(address) && URL.canParse(address);
  if (known) return address;
  throw new ConfigError(
    `--docker-host "${address}" is no address of a Docker daemon; write it like unix:///var/run/docker.sock, ssh://user@machine or tcp://machine:2375.`,
  );
}
