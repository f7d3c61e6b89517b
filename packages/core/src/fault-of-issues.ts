import type { z } from "zod";
import { Fault } from "./fault.ts";

/** The first thing that is wrong with a body, as the error a client gets. */
export function faultFromSchemaError(error: z.ZodError): Fault {
  const issue = error.issues[0];
  const param = issue === undefined ? "" : formatIssuePath(issue.path);
  if (issue?.code === "unrecognized_keys" && param === "") {
    const [field = ""] = issue.keys;
    return new Fault("invalid_request", `\`${field}\` is not a known field.`, { param: field });
  }
  if (issue === undefined || param === "")
    return new Fault("invalid_request", "The body must be a JSON object.");
  return new Fault("invalid_request", `\`${param}\`: ${describeIssue(issue)}`, { param });
}

/** Everything that is wrong with a body, field by field. */
export function listSchemaIssues(error: z.ZodError): { readonly param: string; readonly message: string }[] {
  return error.issues.map((issue) => ({ param: formatIssuePath(issue.path), message: describeIssue(issue) }));
}

/** `budget.limit`, `models[2]`. */
export function formatIssuePath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) =>
      typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${String(step)}`,
    )
    .join("");
}

export function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_value") return `must be one of: ${issue.values.map(String).join(", ")}.`;
  if (issue.code === "invalid_type" && issue.input === undefined) return "is required.";
  if (issue.code === "too_big" && issue.origin !== "date")
    return `must be at most ${describeSize(issue.origin, issue.maximum)}.`;
  if (issue.code === "too_small" && issue.origin !== "date")
    return `must be at least ${describeSize(issue.origin, issue.minimum)}.`;
  if (issue.code === "unrecognized_keys") return `is not known: ${issue.keys.join(", ")}.`;
  return `${issue.message.replace(/^Invalid input: /, "").replace(/\.$/, "")}.`;
}

function describeSize(origin: string, size: number | bigint): string {
  if (origin === "string") return `${size} ${size === 1 ? "character" : "characters"} long`;
  return origin === "array" ? `${size} ${size === 1 ? "entry" : "entries"} long` : String(size);
}
