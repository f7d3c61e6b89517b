import { isObject } from "../http/json-object.ts";
import { errorMessageOf } from "../http/provider-error.ts";

/** A whole answer of the endpoint, whatever it is. */
export interface Answer {
  readonly status: number;
  readonly contentType: string | undefined;
  /** Undefined where the body came as it is. */
  readonly compression: string | undefined;
  readonly bytes: Buffer;
  /** The body as JSON; undefined where it is none. */
  readonly json: unknown;
  /** What it says went wrong, fit to be shown. */
  readonly errorMessage: string | undefined;
  /** From sending to the last byte. */
  readonly ms: number;
}

/** The body's JSON, or undefined. Bytes that are not UTF-8 are no JSON. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** The endpoint's own words in quotation marks, cut short and without anything that could steer a terminal. */
export function quote(text: string): string {
  return `“${errorMessageOf(text, undefined) ?? ""}”`;
}

/** What kind of JSON value this is, in words. */
export function jsonTypeOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Why an answer is not the JSON object with status 200 that was expected; undefined where it is one. */
export function answerProblem(answer: Answer): string | undefined {
  const { status, json } = answer;
  const words = answer.errorMessage === undefined ? "" : ` and said “${answer.errorMessage}”`;
  if (status >= 300 && status < 400) {
    return `it answered ${status}, a redirect. Redirects are never followed: give the final address`;
  }
  if (status === 401 || status === 403) {
    return `it refused the credential with ${status}${words}. Check the key and the way it is sent`;
  }
  if (status !== 200) return `it answered ${status}${words}, where 200 was expected`;
  if (answer.compression !== undefined) {
    return `it sent an answer compressed by ${quote(answer.compression)}, which was not asked for`;
  }
  if (json === undefined) return "it answered 200 with a body that is not valid JSON in UTF-8";
  if (!isObject(json)) return `it answered 200 with ${jsonTypeOf(json)}, where a JSON object was expected`;
  return undefined;
}

/** What is wrong with the form of an error; undefined where it is `{"error": {"message": text, "code": number}}`. */
export function errorShapeProblem(answer: Answer): string | undefined {
  const { json } = answer;
  if (!isObject(json)) return "its body is not a JSON object";
  if (!isObject(json.error)) return `\`error\` is ${jsonTypeOf(json.error)}`;
  const { message, code } = json.error;
  if (typeof message !== "string" || message === "") {
    return `\`error.message\` is ${message === "" ? "empty" : jsonTypeOf(message)}`;
  }
  return typeof code === "number" ? undefined : `\`error.code\` is ${jsonTypeOf(code)}`;
}
