/** How many comparisons an answer is worth: where they are used up, the rest counts as right. */
const MAX_COMPARISONS = 100_000;
const MAX_DEPTH = 64;

/**
 * Whether a value has the form that a JSON schema asks for, as far as that can be seen at little cost: types, what must
 * be there, what it must be one of. Whatever else a schema says counts as kept: patterns of strangers are never run.
 */
export function matchesSchemaShape(value: unknown, schema: unknown): boolean {
  let comparisons = MAX_COMPARISONS;
  const fits = (part: unknown, form: unknown, depth: number): boolean => {
    if (!isObject(form) || depth > MAX_DEPTH) return true;
    comparisons -= costOf(form);
    if (comparisons < 0) return true;
    if (!isOfType(part, form.type)) return false;
    if (Array.isArray(form.enum) && !isOneOf(part, form.enum)) return false;
    if ("const" in form && !isOneOf(part, [form.const])) return false;
    if (Array.isArray(part)) return part.every((item) => fits(item, form.items, depth + 1));
    if (!isObject(part)) return true;
    if (Array.isArray(form.required) && !form.required.every((name) => Object.hasOwn(part, String(name))))
      return false;
    const known = isObject(form.properties) ? form.properties : {};
    return Object.entries(part).every(([name, field]) =>
      Object.hasOwn(known, name)
        ? fits(field, known[name], depth + 1)
        : form.additionalProperties !== false || isObject(form.patternProperties),
    );
  };
  return fits(value, schema, 0);
}

/** A schema may list more than anybody should compare each value with. */
function costOf({ type, enum: allowed, required }: Readonly<Record<string, unknown>>): number {
  return [type, allowed, required].reduce<number>(
    (sum, list) => sum + (Array.isArray(list) ? list.length : 0),
    1,
  );
}

function isOfType(value: unknown, type: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => isOfType(value, one));
  switch (type) {
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "string":
    case "boolean":
    case "number":
      return typeof value === type;
    case "integer":
      return typeof value === "number" && Number.isInteger(value);
    case "null":
      return value === null;
    default:
      return true;
  }
}

/** Only plain values are compared. */
function isOneOf(value: unknown, allowed: readonly unknown[]): boolean {
  return allowed.some((one) => one === value || (typeof one === "object" && one !== null));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
