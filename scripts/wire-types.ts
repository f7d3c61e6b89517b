/** The part of JSON Schema that our OpenAPI document uses. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly description?: string;
}

interface Operation {
  readonly summary?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema?: Schema }>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/** The one operation of another vendor's format that the client has: conversations. */
const CHAT_PATH = "/openai/v1/chat/completions";

const HEAD = `// Made from the table of operations by \`npm run sdk:types\`. Never edit it by hand.

`;

/** Writes the API's types in TypeScript, from the OpenAPI document that the server is described by. */
export function wireTypesOf(document: Document): string {
  const shared = Object.entries(document.components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema as Schema, 0)};\n`,
  );
  const operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith("/v1") || path === CHAT_PATH)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) =>
        operationType(`${method.toUpperCase()} ${path}`, operation as Operation),
      ),
    );
  return `${HEAD}${shared.join("\n")}
/** Every operation under /v1, and chats: what it takes, what it answers, and the events of an answer that is streamed. */
export interface Operations {
${operations.join("\n")}
}
`;
}

function operationType(name: string, operation: Operation): string {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const bodyType = body === undefined ? "undefined" : typeOf(body, 2);
  const isOptional = body !== undefined && operation.requestBody?.required === false;
  return `${comment(operation.summary, 1)}  ${JSON.stringify(name)}: {
    params: ${parametersType(operation, "path")};
    query: ${parametersType(operation, "query")};
    body: ${isOptional ? `${bodyType} | undefined` : bodyType};
    answer: ${answerType(operation)};${eventLine(operation)}
  };`;
}

function parametersType(operation: Operation, place: "path" | "query"): string {
  const found = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
  if (found.length === 0) return "undefined";
  return typeOf(
    {
      type: "object",
      properties: Object.fromEntries(found.map(({ name, schema }) => [name, schema])),
      required: found.filter(({ required }) => required === true).map(({ name }) => name),
      additionalProperties: false,
    },
    2,
  );
}

/** Where an operation gives whole answers as well as streams, events have a schema of their own. */
function eventLine(operation: Operation): string {
  const content = answerContent(operation);
  return "application/json" in content && "text/event-stream" in content
    ? `\n    event: ${schemaType(content["text/event-stream"])};`
    : "";
}

function answerType(operation: Operation): string {
  return schemaType(Object.values(answerContent(operation))[0]);
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

function answerContent(operation: Operation): Content {
  const good = Object.entries(operation.responses).find(([status]) => status.startsWith("2"))?.[1];
  return (good as { content?: Content } | undefined)?.content ?? {};
}

function schemaType(media: Content[string] | undefined): string {
  return media?.schema === undefined ? "undefined" : typeOf(media.schema, 2);
}

function typeOf(schema: Schema, depth: number): string {
  const type = plainTypeOf(schema, depth);
  return schema.nullable === true ? `${type} | null` : type;
}

function plainTypeOf(schema: Schema, depth: number): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "unknown";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return union(choices.map((choice) => typeOf(choice, depth)));
  if (schema.allOf !== undefined)
    return schema.allOf.map((part) => `(${typeOf(part, depth)})`).join(" & ") || "unknown";
  if (typeof schema.type === "object") return union(schema.type.map((type) => plainTypeOf({ ...schema, type }, depth)));
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "number":
    case "integer":
      return "number";
    case "array":
      return arrayType(schema, depth);
    case "object":
      return objectType(schema, depth);
    default:
      return "unknown";
  }
}

function arrayType(schema: Schema, depth: number): string {
  if (schema.prefixItems !== undefined)
    return `readonly [${schema.prefixItems.map((item) => typeOf(item, depth)).join(", ")}]`;
  const item = typeOf(schema.items ?? {}, depth);
  return /^[\w"]+$/.test(item) || item.startsWith("{") ? `readonly ${enclose(item)}[]` : `readonly (${item})[]`;
}

/** An object type with a union behind it needs brackets before it becomes an array. */
function enclose(item: string): string {
  return /^\{[\s\S]*\}$/.test(item) && !/\} [|&] /.test(item) ? item : /^[\w"]+$/.test(item) ? item : `(${item})`;
}

function objectType(schema: Schema, depth: number): string {
  const rest = schema.additionalProperties;
  const restType = typeof rest === "object" ? typeOf(rest, depth) : "unknown";
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return `Record<string, ${rest === false ? "never" : restType}>`;
  const pad = "  ".repeat(depth + 1);
  const lines = properties.map(([name, property]) => {
    const mark = schema.required?.includes(name) === true ? "" : "?";
    const key = /^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name);
    const type = typeOf(property, depth + 1);
    return `${comment(property.description, depth + 1)}${pad}${key}${mark}: ${type}${mark === "?" ? " | undefined" : ""};`;
  });
  const known = `{\n${lines.join("\n")}\n${"  ".repeat(depth)}}`;
  return typeof rest === "object" && Object.keys(rest).length > 0 ? `${known} & Record<string, ${restType}>` : known;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ") || "never";
}

function comment(text: string | undefined, depth: number): string {
  return text === undefined ? "" : `${"  ".repeat(depth)}/** ${text.replaceAll("*/", "* /")} */\n`;
}
