import type { Actor, NewAuditEvent } from "@trunkline/core/audit-event.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import { type ControlEndpoint, type OperationContext, Reply } from "./endpoint.ts";

/** As whom another account's log knows those who act for the operator: who works there is nothing that it is told. */
const OPERATOR_ACTOR: Actor = { kind: "service", id: undefined, name: "The operator" };

/** Writes into the audit log what was just done. What the operator does to another account stands in both logs. */
export async function recordAuditEvent(
  { audit: deed, permission: power }: ControlEndpoint,
  operationContext: OperationContext<unknown, unknown>,
  outcome: unknown,
): Promise<void> {
  if (deed === undefined || deed === null) return;
  const { services, caller, params, request } = operationContext;
  const result = outcome instanceof Reply ? outcome.body : outcome;
  const own: NewAuditEvent = {
    accountId: caller.accountId,
    actor: await actorOf(operationContext, caller),
    action: deed.action,
    subjectId: params.id ?? textField(result, "id"),
    subjectName:
      deed.nameOf?.(operationContext, result) ??
      textField(result, "name") ??
      params.name ??
      textField(operationContext.body, "name"),
    details: deed.details?.(operationContext, result) ?? sentFieldNames(operationContext.body),
    address: request.ip,
  };
  const accountId = deed.accountOf?.(operationContext, result) ?? caller.accountId;
  if (accountId === caller.accountId || power !== "operator.change") {
    await services.auditLog.record({ ...own, accountId });
    return;
  }
  await services.auditLog.record({ ...own, accountId, actor: OPERATOR_ACTOR, address: undefined });
  await services.auditLog.record(own);
}

async function actorOf(
  { services }: OperationContext<unknown, unknown>,
  { person, keyId, accountId }: Caller,
): Promise<Actor> {
  if (person !== undefined) return { kind: "person", id: person.id, name: person.email };
  const key = await services.apiKeys.find(accountId, keyId);
  return { kind: "key", id: keyId, name: key?.name ?? "a key" };
}

/** Which fields were sent. Their values may be secrets. */
function sentFieldNames(body: unknown): Record<string, unknown> {
  if (typeof body !== "object" || body === null) return {};
  const fields = Object.entries(body).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return fields.length === 0 ? {} : { fields };
}

function textField(value: unknown, field: string): string | undefined {
  if (typeof value !== "object" || value === null || !(field in value)) return undefined;
  const found: unknown = Object.entries(value).find(([name]) => name === field)?.[1];
  return typeof found === "string" ? found : undefined;
}

/** Rules for the audit log: phrases that need not be judged may be anybody's words, and only their number is told. */
export function auditSafeRules<Rules extends { readonly allow_list?: readonly string[] | undefined }>(
  rules: Rules,
): Omit<Rules, "allow_list"> & { readonly allow_list?: number } {
  const { allow_list: phrases, ...told } = rules;
  return phrases === undefined ? told : { ...told, allow_list: phrases.length };
}
