import { pick } from "./compose-rows.ts";

/** By name: what a template's `{name}` may stand for. */
export type WordLists = Readonly<Record<string, readonly string[]>>;

/** One of the templates with one entry for each name in it. An entry may hold names as well, and may be empty. */
export function fillTemplate(templates: readonly string[], lists: WordLists, random: () => number): string {
  return fill(pick(templates, random), lists, random)
    .replace(/ {2,}/g, " ")
    .replace(/ +([.,;?])/g, "$1");
}

function fill(template: string, lists: WordLists, random: () => number): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const values = lists[name];
    if (values === undefined) throw new Error(`No list is called ${name}.`);
    return fill(pick(values, random), lists, random);
  });
}
