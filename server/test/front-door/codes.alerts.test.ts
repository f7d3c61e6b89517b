import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCustomer } from "../support/customer.ts";
import { startWebhookTrial, type WebhookTrial } from "../support/webhook-trial.ts";

let trial: WebhookTrial;

beforeAll(async () => {
  trial = await startWebhookTrial();
});
afterAll(() => trial.stop());

describe("a redeemed code", () => {
  it("reaches the webhooks that listen for the balance", async () => {
    const customer = await openCustomer(trial.service, 1, { scopes: ["manage", "billing"] });
    const { key } = customer;
    await trial.listenAs(customer);
    await trial.service.call("PATCH", "/v1/billing/alerts", { low_balance: 3 }, { key });
    await expect.poll(() => trial.receiver.types()).toEqual(["balance.low"]);
    const { json } = await trial.service.call("POST", "/v1/admin/codes", { credits: 5 });
    await trial.service.call("POST", "/v1/redeem", { code: json.data[0].code }, { key });
    // It is above the threshold again, so that the next low balance will be reported.
    const isLow = () => trial.database.query("SELECT is_low FROM balance_alerts WHERE account_id = $1", [customer.id]);
    await expect.poll(isLow).toEqual([{ is_low: false }]);
  });
});
