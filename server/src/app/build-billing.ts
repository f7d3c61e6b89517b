import { CodeDesk } from "../ledger/billing/code-desk.ts";
import type { RateWindows } from "../ledger/limits/rate-windows.ts";
import { TryLimiter } from "../ledger/limits/try-limiter.ts";
import type { Database } from "../store/database/database.ts";
import { PostgresBillingDetails } from "../store/ledger/billing-details.ts";
import { PostgresBooks } from "../store/ledger/books.ts";
import { PostgresRedeemCodes } from "../store/ledger/redeem-codes.ts";
import type { House } from "./services.ts";

/** The part of the house that tells accounts of their money; `onCredit` is called when one has more than before. */
export function buildBilling(
  database: Database,
  rateWindows: RateWindows,
  onCredit: (accountId: string) => void,
): Pick<House, "books" | "billingDetails" | "codes" | "redeemCodes" | "tries"> {
  const redeemCodes = new PostgresRedeemCodes(database);
  return {
    books: new PostgresBooks(database),
    billingDetails: new PostgresBillingDetails(database),
    codes: new CodeDesk(redeemCodes, onCredit),
    redeemCodes,
    tries: new TryLimiter(rateWindows),
  };
}
