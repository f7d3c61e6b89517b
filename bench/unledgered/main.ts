import type { Services } from "../../server/src/app/services.ts";
import { AccountFunds } from "../../server/src/ledger/billing/account-funds.ts";
import { SettlementWriter, type WriteResult } from "../../server/src/ledger/billing/settlement-writer.ts";
import { main } from "../../server/src/main.ts";
import { LavishLedger } from "./lavish-ledger.ts";

/** The gateway without its ledger, for comparison: everything else is the product's own, from the door to the provider. */

/** Says of everything that it is written, and writes nothing. */
class ForgetfulSettler extends SettlementWriter {
  override async write(): Promise<WriteResult> {
    return { leasesChanged: false };
  }
}

function withoutLedger(services: Services): Services {
  const ledger = new LavishLedger();
  return {
    ...services,
    accountFunds: new AccountFunds(ledger, services.clock),
    settlementWriter: new ForgetfulSettler(ledger),
  };
}

await main(process.argv.slice(2), withoutLedger);
