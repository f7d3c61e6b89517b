import { RedeemCodes } from "../ledger/billing/code-desk.ts";
import type { RateWindows } from "../ledger/limits/rate-windows.ts";
import { TryLimiter } from "../ledger/limits/try-limiter.ts";
import type { Database } from "../store/database/database.ts";
import { PostgresBillingDetails } from "../store/ledger/billing-details.ts";
import { PostgresStatementsReader } from "../store/ledger/books.ts";
import { PostgresRedeemCodes } from "../store/ledger/redeem-codes.ts";
import type { Services } from "./services.ts";

/** The part of the house that tells accounts of their money; `onCredit` is called when one has more than before. */
export function createBilling(
  database: Database,
  rateWindows: RateWindows,
  onCredit: (accountId: string) => void,
): Pick<Services, "statementsReader" | "billingDetails" | "redeemCodes" | "redeemCodeStore" | "tryLimiter"> {
  const redeemCodes = new PostgresRedeemCodes(database);
  return {
    statementsReader: new PostgresStatementsReader(database),
    billingDetails: new PostgresBillingDetails(database),
    redeemCodes: new RedeemCodes(redeemCodes, onCredit),
    redeemCodeStore: redeemCodes,
    tryLimiter: new TryLimiter(rateWindows),
  };
}
