import { render } from "preact";
import { pageStyle } from "../../html/page-style.ts";
import { runStyle } from "../../html/run-style.ts";
import { App } from "./app.tsx";
import { keepToken } from "./ask.ts";
import { pressKey } from "./keys.ts";
import { followLinks } from "./route.ts";
import asking from "./style/asking.css?inline";
import frame from "./style/frame.css?inline";
import lists from "./style/lists.css?inline";
import narrow from "./style/narrow.css?inline";
import run from "./style/run.css?inline";

// The look of the reports, and what the viewer has besides. A sheet made here needs no exception in the content security policy.
document.adoptedStyleSheets = [pageStyle, runStyle, frame, lists, run, asking, narrow].map((text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
});
keepToken();
addEventListener("hashchange", () => {
  keepToken();
  location.reload();
});
document.addEventListener("keydown", pressKey);
document.addEventListener("click", followLinks);
const root = document.getElementById("app");
if (root) render(<App />, root);
