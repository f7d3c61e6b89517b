import { Fault } from "@trunkline/core/fault.ts";
import { isObject } from "@trunkline/core/json-object.ts";

/** One change of a resource, as SCIM's PATCH has it (RFC 7644, section 3.5.2). */
interface PatchOperation {
  readonly op: "add" | "replace" | "remove";
  /** undefined: `value` is an object of attributes. */
  readonly path: string | undefined;
  readonly value: unknown;
}

/** One attribute that a PATCH sets, adds to or removes. Names are in lower case: `name.givenname`. */
export interface AttributeChange {
  readonly op: PatchOperation["op"];
  readonly attribute: string;
  /** What stands in the brackets of a path, such as `value eq "…"`. */
  readonly selector: string | undefined;
  readonly value: unknown;
}

const OPERATIONS_MAX = 1_000;

/** Reads a PATCH as Entra ID, Okta and others send it: operations in any case, with paths or without, dotted names in values. */
export function readPatch(body: unknown): AttributeChange[] {
  const operations = isObject(body) ? (body.Operations ?? body.operations) : undefined;
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > OPERATIONS_MAX)
    throw invalid("`Operations` must be a list of 1 to 1000 changes.", "Operations");
  return operations.flatMap((operation: unknown) => changesOf(readOperation(operation)));
}

function readOperation(operation: unknown): PatchOperation {
  if (!isObject(operation)) throw invalid("Each of `Operations` must be an object.", "Operations");
  const word = typeof operation.op === "string" ? operation.op.toLowerCase() : "";
  const op = (["add", "replace", "remove"] as const).find((known) => known === word);
  if (op === undefined) throw invalid("`op` must be add, replace or remove.", "op");
  const { path } = operation;
  if (path !== undefined && typeof path !== "string") throw invalid("`path` must be a text.", "path");
  if (path === undefined && !isObject(operation.value)) {
    if (op === "remove") throw invalid("`remove` needs a `path`.", "path");
    throw invalid("Without a `path`, `value` must be an object.", "value");
  }
  return { op, path, value: operation.value };
}

function changesOf({ op, path, value }: PatchOperation): AttributeChange[] {
  if (path === undefined) {
    return Object.entries(isObject(value) ? value : {}).flatMap(([name, each]) =>
      changesOf({ op, path: name, value: each }),
    );
  }
  const [, name = "", selector, sub] = PATH.exec(path) ?? [];
  if (name === "") throw invalid(`The path ${path.slice(0, 100)} can't be read.`, "path");
  const attribute = (sub === undefined ? name : `${name}.${sub}`).toLowerCase();
  // The parts of a name are changed one by one.
  if (attribute === "name" && isObject(value))
    return Object.entries(value).map(([part, each]) => ({
      op,
      attribute: `name.${part.toLowerCase()}`,
      selector: undefined,
      value: each,
    }));
  return [{ op, attribute, selector, value }];
}

/** An attribute, perhaps after its schema's name, with a selector in brackets and a part after a dot. */
const PATH = /^(?:urn:[\w.:-]+:)?([A-Za-z$][\w$-]*)(?:\[([^\]]{1,500})\])?(?:\.([A-Za-z$][\w$-]*))?$/;

/** Entra ID sends `"False"` where the standard has a boolean. */
export function readBoolean(value: unknown, param: string): boolean {
  if (typeof value === "boolean") return value;
  const text = typeof value === "string" ? value.toLowerCase() : "";
  if (text === "true" || text === "false") return text === "true";
  throw invalid(`\`${param}\` must be true or false.`, param);
}

export function invalid(message: string, param: string): Fault {
  return new Fault("invalid_request", message, { param });
}
