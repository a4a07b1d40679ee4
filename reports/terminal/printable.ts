/**
 * Text of a model, a task, a trace or a builder as a terminal may show it: control and formatting characters (escape sequences, direction marks)
 * become a visible mark; newlines and tabs stay.
 */
export const printable = (text: string): string => text.replaceAll(/[^\P{C}\n\t]/gu, "\uFFFD");
