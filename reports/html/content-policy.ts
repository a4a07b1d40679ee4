/** Of every page: nothing may be fetched and nothing may run, whatever stands in it. */
export const contentPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Of the viewer's pages: nothing but what their own server sends, and no script that stands in a page. */
export const viewerPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";
