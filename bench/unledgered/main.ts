import type { Services } from "../../server/src/app/services.ts";
import { AccountFunds } from "../../server/src/ledger/billing/account-funds.ts";
import { type QueuedSettlement, SettlementWriter } from "../../server/src/ledger/billing/settlement-writer.ts";
import { main } from "../../server/src/main.ts";
import { UnlimitedLedger } from "./unlimited-ledger.ts";

/** The gateway without its ledger, for comparison: everything else is the product's own code. */

/** Reports every settlement as written, and writes nothing. */
class NoopSettlementWriter extends SettlementWriter {
  override queue(queued: QueuedSettlement): void {
    queueMicrotask(() => queued.resolve({ leasesChanged: false }));
  }
}

function withoutLedger(services: Services): Services {
  const ledger = new UnlimitedLedger();
  return {
    ...services,
    ledger: {
      ...services.ledger,
      funds: new AccountFunds(ledger, services.clock),
      settlementWriter: new NoopSettlementWriter(ledger),
    },
  };
}

await main(process.argv.slice(2), withoutLedger);
