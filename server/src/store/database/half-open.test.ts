import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { SettlementWriter } from "../../ledger/billing/settlement-writer.ts";
import { PostgresLedger } from "../ledger/ledger.ts";
import { openDatabase } from "./database.ts";
import { Instance } from "./instances.ts";

let store: FreshStore;

beforeAll(async () => {
  store = await openFreshStore();
});
afterAll(() => store.close());

/** A network that can swallow what its connections carry: the server gives them up, the client hears nothing. */
async function openNetwork(address: FreshStore["address"]) {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    const far = connect(join(address.host, `.s.PGSQL.${address.port}`));
    for (const socket of [client, far]) socket.on("error", () => undefined);
    client.pipe(far);
    far.pipe(client, { end: false });
    client.on("close", () => far.destroy());
    pairs.add([client, far]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: { ...address, host: "127.0.0.1", port: (server.address() as AddressInfo).port },
    swallow() {
      for (const [client, far] of pairs) {
        client.unpipe(far);
        far.unpipe(client);
        client.pause();
        far.destroy();
      }
    },
    stop() {
      for (const [client] of pairs) client.destroy();
      server.close();
    },
  };
}

describe("connections that die without a word", () => {
  it("are given up for new ones: the charge is written, and the instance comes back", {
    timeout: 60_000,
  }, async () => {
    const network = await openNetwork(store.address);
    const way = openDatabase(network.address, () => undefined, { statementTimeoutMs: 2_000 });
    let returns = 0;
    const instance = await Instance.register(way, newId(), () => {
      returns++;
    });
    const ledger = await PostgresLedger.open(way, instance.id);
    const settlementWriter = new SettlementWriter(ledger, undefined, 30_000);
    const accountId = await store.makeAccount(8_000n);
    const settle = () => sampleSettlement({ accountId, keyId: newId(), cost: 10n });
    await ledger.extendLease(balancePool(accountId), 1_000n);
    await settlementWriter.write(settle());
    network.swallow();
    await settlementWriter.write(settle());
    await expect.poll(() => returns, { timeout: 20_000 }).toBe(1);
    await expect
      .poll(async () => (await ledger.readPool(balancePool(accountId)).catch(() => undefined))?.total, {
        timeout: 20_000,
      })
      .toBe(7_980n);
    await instance.deregister();
    await way.close();
    network.stop();
  });
});
