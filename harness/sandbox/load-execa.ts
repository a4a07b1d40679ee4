/** Loaded with the first program that is run: it is a hundred modules, which most commands need not wait for. */
export const loadExeca = () => import("execa");
