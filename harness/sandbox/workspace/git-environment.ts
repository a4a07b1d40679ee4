/** Which of git's variables may come along: how a network is reached is the user's matter. */
const kept = /^GIT_(SSH|SSL|PROXY|HTTP|ASKPASS)/;

/**
 * The whole environment for a git that Forge runs on repositories of its own, for execa's `extendEnv: false`: this process's variables without those
 * of git, which name another repository, its index or objects, a configuration, or programs to run, where Forge is called from a hook for instance.
 */
export const gitEnvironment = (more: Readonly<Record<string, string>> = {}): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_") || kept.test(name))),
  ...more,
});

/** For a git that reads neither the user's nor the machine's configuration. */
export const withoutConfiguration = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" } as const;
