/** The gateway without its ledger, for comparison: everything else is the product's own, from the door to the provider. */

import type { House } from "../../server/src/app/services.ts";
import { Funds } from "../../server/src/ledger/billing/funds.ts";
import { Settler, type Written } from "../../server/src/ledger/billing/settlement-writer.ts";
import { main } from "../../server/src/main.ts";
import { LavishLedger } from "./lavish-ledger.ts";

/** Says of everything that it is written, and writes nothing. */
class ForgetfulSettler extends Settler {
  override async write(): Promise<Written> {
    return { leasesChanged: false };
  }
}

function withoutLedger(house: House): House {
  const ledger = new LavishLedger();
  return { ...house, funds: new Funds(ledger, house.clock), settler: new ForgetfulSettler(ledger) };
}

await main(process.argv.slice(2), withoutLedger);
