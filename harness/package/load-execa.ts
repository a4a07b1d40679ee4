const importExeca = () => import("execa");
let execa: ReturnType<typeof importExeca> | undefined;

/** Loaded with the first program that is run, and once: it is a hundred modules, which most commands need not wait for. */
export const loadExeca = () => (execa ??= importExeca());
