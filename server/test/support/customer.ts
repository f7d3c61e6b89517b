import { expect } from "vitest";
import type { StartedService } from "./started-service.ts";

/** An account other than the operator's, with a key of its own. */
export interface Customer {
  readonly id: string;
  readonly key: string;
  readonly keyId: string;
  /** The name under which its models appear. */
  readonly provider: string;
}

/** Opens an account with a balance and makes a key for it. */
export async function openCustomer(
  service: StartedService,
  amount: number,
  terms: Readonly<Record<string, unknown>> = {},
): Promise<Customer> {
  const account = await service.call("POST", "/v1/admin/accounts", { name: "Customer" });
  expect(account.status, account.text).toBe(201);
  const { id, provider } = account.json;
  if (amount > 0) {
    const grant = await service.call("POST", `/v1/admin/accounts/${id}/grants`, { amount });
    expect(grant.status, grant.text).toBe(201);
  }
  const key = await service.call("POST", `/v1/admin/accounts/${id}/keys`, {
    name: "Key of a test",
    scopes: ["inference", "read", "manage", "provider"],
    ...terms,
  });
  expect(key.status, key.text).toBe(201);
  return { id, provider, key: key.json.key, keyId: key.json.id };
}

/** Another key of a customer, which may change the first: no key changes itself. */
export async function openManagingKey(service: StartedService, { id }: Pick<Customer, "id">): Promise<string> {
  const terms = { name: "Managing key", scopes: ["inference", "read", "manage", "provider"] };
  const key = await service.call("POST", `/v1/admin/accounts/${id}/keys`, terms);
  expect(key.status, key.text).toBe(201);
  return key.json.key;
}

/** What the account of a key has; the operator's where none is given. */
export async function balanceOf(service: StartedService, key?: string) {
  const answer = await service.call("GET", "/v1/balance", undefined, key === undefined ? {} : { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.json as { balance: number; held: number; available: number; currency: string };
}
