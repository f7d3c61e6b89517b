import { CodeDesk } from "./billing/code-desk.ts";
import type { House } from "./house.ts";
import type { RateWindows } from "./limits/rate-windows.ts";
import { TryLimiter } from "./limits/try-limiter.ts";
import { PostgresBillingDetails } from "./store/billing-details.ts";
import { PostgresBooks } from "./store/books.ts";
import type { Database } from "./store/database.ts";
import { PostgresRedeemCodes } from "./store/redeem-codes.ts";

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
