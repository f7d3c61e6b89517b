import { startReceiver, type WebhookReceiver } from "@trunkline/testing/webhook-receiver.ts";
import { expect } from "vitest";
import { type Database, openDatabase } from "../../src/store/database/database.ts";
import type { Customer } from "./customer.ts";
import { type StartedService, startService } from "./started-service.ts";
import type { TestDatabase } from "./test-database.ts";

/** A webhook as it was made. */
export interface MadeWebhook {
  readonly id: string;
  readonly secret: string;
}

/** A service, a receiver, and the service's own database for what no client may do. */
export interface WebhookTrial {
  readonly service: StartedService;
  readonly receiver: WebhookReceiver;
  readonly database: Database;
  readonly address: TestDatabase["address"];
  /** Makes a webhook of the operator's account that leads to the receiver. */
  listen(terms?: Readonly<Record<string, unknown>>): Promise<MadeWebhook>;
  /** The same for a customer, who may only name public addresses: the real one is written into the store. */
  listenAs(customer: Customer, terms?: Readonly<Record<string, unknown>>): Promise<MadeWebhook>;
  /** Makes everything that waits in the outbox due, as if its time had come. */
  hurry(): Promise<void>;
  stop(): Promise<void>;
}

/** A public address that is registered and never dialled. */
export const PUBLIC_URL = "https://93.184.215.14/hook";

export async function startWebhookTrial(): Promise<WebhookTrial> {
  let reached: TestDatabase["address"] | undefined;
  const service = await startService(undefined, async (address) => {
    reached = address;
    return address;
  });
  if (reached === undefined) throw new Error("The service has asked for no database.");
  const address = reached;
  const receiver = await startReceiver();
  const database = openDatabase(address, () => undefined);
  const make = async (body: Readonly<Record<string, unknown>>, key?: string): Promise<MadeWebhook> => {
    const answer = await service.call("POST", "/v1/webhooks", body, key === undefined ? {} : { key });
    expect(answer.status, answer.text).toBe(201);
    return answer.json;
  };
  return {
    service,
    receiver,
    database,
    address,
    listen: (terms = {}) => make({ url: receiver.url, ...terms }),
    async listenAs({ key }, terms = {}) {
      const made = await make({ url: PUBLIC_URL, ...terms }, key);
      await database.query("UPDATE webhooks SET url = $2, may_dial_private = true WHERE id = $1", [
        made.id,
        receiver.url,
      ]);
      return made;
    },
    async hurry() {
      await database.query("UPDATE webhook_deliveries SET next_attempt_at = now() WHERE next_attempt_at IS NOT NULL");
    },
    async stop() {
      await database.close();
      await service.stop();
      await receiver.stop();
    },
  };
}
