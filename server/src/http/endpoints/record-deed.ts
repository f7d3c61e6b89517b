import type { Actor, NewDeed } from "@trunkline/core/audit-event.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import { type ControlEndpoint, Reply, type Visit } from "./endpoint.ts";

/** As whom another account's log knows those who act for the operator: who works there is nothing that it is told. */
const OPERATOR: Actor = { kind: "service", id: undefined, name: "The operator" };

/** Writes into the audit log what was just done. What the operator does to another account stands in both logs. */
export async function recordDeed(
  { deed, power }: ControlEndpoint,
  visit: Visit<unknown, unknown>,
  outcome: unknown,
): Promise<void> {
  if (deed === undefined || deed === null) return;
  const { house, caller, params, request } = visit;
  const result = outcome instanceof Reply ? outcome.body : outcome;
  const own: NewDeed = {
    accountId: caller.accountId,
    actor: await actorOf(visit, caller),
    action: deed.action,
    subjectId: params.id ?? textOf(result, "id"),
    subjectName:
      deed.nameOf?.(visit, result) ?? textOf(result, "name") ?? params.name ?? textOf(visit.body, "name"),
    details: deed.details?.(visit, result) ?? fieldsOf(visit.body),
    address: request.ip,
  };
  const accountId = deed.accountOf?.(visit, result) ?? caller.accountId;
  if (accountId === caller.accountId || power !== "operator.change") {
    await house.deeds.record({ ...own, accountId });
    return;
  }
  await house.deeds.record({ ...own, accountId, actor: OPERATOR, address: undefined });
  await house.deeds.record(own);
}

async function actorOf(
  { house }: Visit<unknown, unknown>,
  { person, keyId, accountId }: Caller,
): Promise<Actor> {
  if (person !== undefined) return { kind: "person", id: person.id, name: person.email };
  const key = await house.apiKeys.find(accountId, keyId);
  return { kind: "key", id: keyId, name: key?.name ?? "a key" };
}

/** Which fields were sent. Their values may be secrets. */
function fieldsOf(body: unknown): Record<string, unknown> {
  if (typeof body !== "object" || body === null) return {};
  const fields = Object.entries(body).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return fields.length === 0 ? {} : { fields };
}

function textOf(value: unknown, field: string): string | undefined {
  if (typeof value !== "object" || value === null || !(field in value)) return undefined;
  const found: unknown = Object.entries(value).find(([name]) => name === field)?.[1];
  return typeof found === "string" ? found : undefined;
}
