import { isObject, objectItems } from "@trunkline/core/json-object.ts";

type Schema = Readonly<Record<string, unknown>>;

const SUPPORTED_KEYWORDS = [
  "title",
  "description",
  "format",
  "nullable",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "pattern",
  "required",
];
const DEPTH_MAX = 32;
/** References can multiply a small schema: beyond this many nodes it is left open. */
const SCHEMAS_MAX = 2_000;

interface SchemaConversion {
  readonly root: Schema;
  schemas: number;
}

/** A JSON schema reduced to the subset that older versions of the API support. */
export function toGeminiSchema(schema: unknown): Schema {
  return convertSchema(schema, { root: isObject(schema) ? schema : {}, schemas: 0 }, 0);
}

function convertSchema(schema: unknown, schemaConversion: SchemaConversion, depth: number): Schema {
  schemaConversion.schemas += 1;
  if (!isObject(schema) || depth > DEPTH_MAX || schemaConversion.schemas > SCHEMAS_MAX) return {};
  if (typeof schema.$ref === "string")
    return convertSchema(resolveReference(schemaConversion.root, schema.$ref), schemaConversion, depth + 1);
  const deeper = (inner: unknown) => convertSchema(inner, schemaConversion, depth + 1);
  const supported = Object.fromEntries(
    SUPPORTED_KEYWORDS.flatMap((key) => (key in schema ? [[key, schema[key]]] : [])),
  );
  const { properties, items } = schema;
  return {
    ...typeFields(schema.type),
    ...supported,
    ...enumFields(schema),
    ...(isObject(properties)
      ? {
          properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, deeper(inner)])),
        }
      : {}),
    ...(isObject(items) ? { items: deeper(items) } : {}),
    ...anyOfFields([...objectItems(schema.anyOf), ...objectItems(schema.oneOf)], deeper),
  };
}

/** A single type; whether null is allowed is a separate field. */
function typeFields(type: unknown): Schema {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const [first] = types.filter((one) => typeof one === "string" && one !== "null");
  return {
    ...(typeof first === "string" ? { type: first } : {}),
    ...(types.includes("null") ? { nullable: true } : {}),
  };
}

function enumFields(schema: Schema): Schema {
  const values: readonly unknown[] = Array.isArray(schema.enum) ? schema.enum : "const" in schema ? [schema.const] : [];
  const texts = values.filter((value) => typeof value === "string");
  return texts.length === 0 ? {} : { enum: texts };
}

function anyOfFields(choices: readonly Schema[], deeper: (inner: unknown) => Schema): Schema {
  const others = choices.filter(({ type }) => type !== "null");
  const nullable = others.length < choices.length ? { nullable: true } : {};
  if (others.length === 1) return { ...deeper(others[0]), ...nullable };
  return others.length === 0 ? nullable : { anyOf: others.map(deeper), ...nullable };
}

/** The target of a reference within the schema. */
function resolveReference(root: Schema, reference: string): unknown {
  if (!reference.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const step of reference.slice(2).split("/")) at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  return at;
}
