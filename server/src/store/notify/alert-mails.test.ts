import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { createWebhookEvent } from "../../notify/webhooks/deliver.ts";
import { enqueueAlertMails, PostgresAlertMails } from "./alert-mails.ts";

let store: FreshStore;
let mails: PostgresAlertMails;
let accountId: string;

beforeAll(async () => {
  store = await openFreshStore();
  mails = new PostgresAlertMails(store.database);
});
beforeEach(async () => {
  await store.database.query("DELETE FROM alert_mails");
  accountId = await store.makeAccount();
});
afterAll(() => store.close());

const run = (text: string, values: readonly unknown[]) => store.database.query(text, values);
const EVENT = createWebhookEvent("balance.low", { balance: 1, low_balance: 5 }, Date.now());
const enqueue = () => store.database.transaction((connection) => enqueueAlertMails(connection, accountId, EVENT));

async function addMember(role: string): Promise<string> {
  const [personId, keyId] = [newId(), newId()];
  await run("INSERT INTO people (id, email, name) VALUES ($1, $2, $3)", [
    personId,
    `${role}-${personId}@a.example`,
    role,
  ]);
  await run("INSERT INTO api_keys (id, account_id, name, scopes, dashboard) VALUES ($1, $2, 'Key', '{read}', true)", [
    keyId,
    accountId,
  ]);
  await run("INSERT INTO members (account_id, person_id, role, key_id) VALUES ($1, $2, $3, $4)", [
    accountId,
    personId,
    role,
    keyId,
  ]);
  return personId;
}

describe("the e-mails of an alert", () => {
  it("are for those who look after the bills, as long as they belong to the organisation", async () => {
    const [owner] = await Promise.all(["owner", "admin", "billing", "developer", "viewer"].map(addMember));
    expect(await enqueue()).toBe(3);
    await run("DELETE FROM members WHERE person_id = $1", [owner]);
    const claimed = await mails.claim(10, 60_000);
    expect(new Set(claimed.map(({ to }) => to.split("-")[0]))).toEqual(new Set(["admin", "billing"]));
    expect(claimed[0]).toMatchObject({ type: "balance.low", body: EVENT.body, attempt: 1 });
  });

  it("are claimed by one instance, and by another one when the first did not come back", async () => {
    await addMember("owner");
    await enqueue();
    const claims = await Promise.all(Array.from({ length: 5 }, () => mails.claim(10, 60_000)));
    expect(claims.flat()).toHaveLength(1);
    expect(await mails.dueInMs()).toBeGreaterThan(0);
    await run("UPDATE alert_mails SET next_attempt_at = now()", []);
    const [again] = await mails.claim(10, 60_000);
    expect(again?.attempt).toBe(2);
    // The first one is late: what it says counts no more.
    const [first] = claims.flat();
    if (first === undefined || again === undefined) expect.fail("Nothing was claimed.");
    await mails.retryIn(first, 0);
    expect(await mails.claim(10, 60_000)).toEqual([]);
    await mails.retryIn(again, 0);
    expect(await mails.claim(10, 60_000)).toHaveLength(1);
    await mails.remove(again);
    expect(await mails.dueInMs()).toBeUndefined();
  });

  it("are not written where the alert is not", async () => {
    await addMember("owner");
    const failing = store.database.transaction(async (connection) => {
      await enqueueAlertMails(connection, accountId, EVENT);
      throw new Error("the alert was not written");
    });
    await expect(failing).rejects.toThrow("was not written");
    expect(await mails.dueInMs()).toBeUndefined();
  });
});
