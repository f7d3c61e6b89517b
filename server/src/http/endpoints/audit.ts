import type { Actor, NewAuditEvent } from "@trunkline/core/audit-event.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import { type ControlEndpoint, type OperationContext, Reply } from "./endpoint.ts";

/** The operator's actor in another account's log. Customers must not learn who works for the operator. */
const OPERATOR_ACTOR: Actor = { kind: "service", id: undefined, name: "The operator" };

/** Records a completed operation in the audit log. An operator's change to another account is recorded in both logs. */
export async function recordAuditEvent(
  { audit, permission }: ControlEndpoint,
  operationContext: OperationContext<unknown, unknown>,
  outcome: unknown,
): Promise<void> {
  if (audit === undefined || audit === null) return;
  const { services, caller, params, request } = operationContext;
  const result = outcome instanceof Reply ? outcome.body : outcome;
  const own: NewAuditEvent = {
    accountId: caller.accountId,
    actor: await actorOf(operationContext, caller),
    action: audit.action,
    subjectId: params.id ?? textField(result, "id"),
    subjectName:
      audit.nameOf?.(operationContext, result) ??
      textField(result, "name") ??
      params.name ??
      textField(operationContext.body, "name"),
    details: audit.details?.(operationContext, result) ?? sentFieldNames(operationContext.body),
    address: request.ip,
  };
  const accountId = audit.accountOf?.(operationContext, result) ?? caller.accountId;
  if (accountId === caller.accountId || permission !== "operator.change") {
    await services.identity.auditLog.record({ ...own, accountId });
    return;
  }
  await services.identity.auditLog.record({ ...own, accountId, actor: OPERATOR_ACTOR, address: undefined });
  await services.identity.auditLog.record(own);
}

async function actorOf(
  { services }: OperationContext<unknown, unknown>,
  { person, keyId, accountId }: Caller,
): Promise<Actor> {
  if (person !== undefined) return { kind: "person", id: person.id, name: person.email };
  const key = await services.identity.apiKeyStore.find(accountId, keyId);
  return { kind: "key", id: keyId, name: key?.name ?? "a key" };
}

/** The names of the sent fields. Their values may be secrets. */
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

/** Safety rules for the audit log. Allowed phrases may contain private text, so only their number is recorded. */
export function auditSafeRules<Rules extends { readonly allow_list?: readonly string[] | undefined }>(
  rules: Rules,
): Omit<Rules, "allow_list"> & { readonly allow_list?: number } {
  const { allow_list: phrases, ...rest } = rules;
  return phrases === undefined ? rest : { ...rest, allow_list: phrases.length };
}
