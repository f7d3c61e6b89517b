import { connect } from "node:net";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/store/database/database.ts";
import { openCustomer } from "../support/customer.ts";
import { type StartedService, startService, startSibling } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  provider.script = async (response) => {
    response.setHeader("content-type", "application/x-ndjson");
    while (!response.destroyed) {
      response.write(`${JSON.stringify({ delta: "word " })}\n`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "flowing", { streaming: true }));
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

describe("a service that stops while clients are being served", () => {
  it("settles what each was given before it lets go of its leases", async () => {
    const database = openDatabase(service.address, () => undefined);
    for (let turn = 0; turn < 2; turn++) {
      const { id, key } = await openCustomer(service, 1_000);
      const stopping = await startSibling(service);
      const socket = connect(Number(new URL(stopping.url).port), "127.0.0.1").on("error", () => undefined);
      const body = JSON.stringify({ task: "chat", input: "Hello", model: "flowing" });
      const head = ["POST /v1/stream HTTP/1.1", "Host: x", `Authorization: Bearer ${key}`];
      head.push("Content-Type: application/json", `Content-Length: ${body.length}`);
      socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
      let text = "";
      await new Promise<void>((resolve) => {
        socket.on("data", (piece) => {
          text += String(piece);
          if (text.includes("delta")) resolve();
        });
      });
      socket.destroy();
      await stopping.stop();
      const records = await database.query("SELECT cost FROM requests WHERE account_id = $1", [id]);
      expect(records).toHaveLength(1);
      const leases = await database.query(
        "SELECT balance FROM ledger_accounts WHERE account_id = $1 AND kind = 'lease' AND balance > 0",
        [id],
      );
      expect(leases).toEqual([]);
    }
    await database.close();
  });
});
