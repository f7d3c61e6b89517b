import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findProofMistake, readBalanceProof } from "../../src/cli/balance-proof.ts";
import { openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe("the proof of liabilities", () => {
  it("is published to everyone, and shows each account its own part", async () => {
    const [one, other] = [await openCustomer(service, 5), await openCustomer(service, 7)];
    const own = (key: string) => service.call("GET", "/v1/balance/proof", undefined, { key });
    expectRefusal(await own(one.key), 404, "not_found");
    const made = await service.call("POST", "/v1/admin/proof");
    expect(made.status, made.text).toBe(201);
    const response = await fetch(`${service.url}/v1/proof`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ data: [made.json], next_cursor: null });
    // The operator's own 1,000 credits and both customers'.
    expect(made.json).toMatchObject({ total: "1012000000000", accounts: 3 });
    for (const [{ id, key }, amount] of [
      [one, "5000000000"],
      [other, "7000000000"],
    ] as const) {
      const { json } = await own(key);
      expect(json).toMatchObject({ account_id: id, amount, root: made.json.root, total: made.json.total });
      const proof = readBalanceProof(json);
      expect(proof === undefined ? "not read" : findProofMistake(proof)).toBeUndefined();
      expect(JSON.stringify(json)).not.toContain(key === one.key ? other.id : one.id);
    }
  });

  it("is made by the operator alone, and limits how often an address may read it", async () => {
    const customer = await openCustomer(service, 1);
    const refused = await service.call("POST", "/v1/admin/proof", undefined, { key: customer.key });
    expectRefusal(refused, 403, "insufficient_scope");
    const statuses = [];
    for (let read = 0; read < 62; read++) statuses.push((await fetch(`${service.url}/v1/proof`)).status);
    expect(statuses).toContain(200);
    expect(statuses.at(-1)).toBe(429);
  });
});
