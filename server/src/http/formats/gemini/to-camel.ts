import type { Fields } from "../../requests/fields.ts";

/** The same fields under their usual names: Google takes `system_instruction` for `systemInstruction`, and so for all. */
export function toCamelCase(fields: Fields): Fields {
  const names = Object.keys(fields);
  if (!names.some((name) => name.includes("_"))) return fields;
  return Object.fromEntries(
    names.map((name) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      fields[name],
    ]),
  );
}
