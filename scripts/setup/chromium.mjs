// Chromium as Debian installs it, for what is tested and measured in a real browser.
import { spawnSync } from "node:child_process";

/**
 * The absolute path of the program; undefined where there is none.
 * @returns {string | undefined}
 */
export function chromiumPath() {
  const { stdout } = spawnSync("/bin/sh", ["-c", "command -v chromium || command -v chromium-browser || command -v google-chrome"], {
    encoding: "utf8",
  });
  return stdout.trim() || undefined;
}

/** As root it refuses to start with its sandbox; what it shows here is our own page. */
export const chromiumFlags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--force-color-profile=srgb"];
