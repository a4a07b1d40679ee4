/** Of every page: nothing may be fetched and nothing may run, whatever stands in it. */
export const contentPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
