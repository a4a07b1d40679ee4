/** Text of a task, a model or a file name as one line of Markdown that shows it and does nothing else: no markup, no link, no table column. */
export const inline = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\p{C}/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/[\\`*_{}[\]()#!|~@]|:(?=\/\/)|(?<=www)\./gi, (mark) => `&#${mark.charCodeAt(0)};`);
