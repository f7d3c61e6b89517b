import { getHeapStatistics } from "node:v8";
import { AttemptLimiter } from "../identity/people/attempt-limiter.ts";
import { CreditRequests } from "../ledger/billing/credit-requests.ts";
import { RedeemCodes } from "../ledger/billing/redeem-codes.ts";
import { SettledTotals } from "../ledger/billing/settled-totals.ts";
import type { StatementsReader } from "../ledger/billing/statements-reader.ts";
import { AdmissionQueue, type ChargeQueue } from "../ledger/limits/admission-queue.ts";
import { BodyMemory, bodyMemoryLimits } from "../ledger/limits/body-memory.ts";
import { RateLimiter } from "../ledger/limits/rate-limiter.ts";
import { TryLimiter } from "../ledger/limits/try-limiter.ts";
import { Reconciler } from "../ledger/reconciliation.ts";
import { creditRequestDecidedEmail, creditsRequestedEmail } from "../notify/mail/emails.ts";
import { HOME } from "../store/clusters/cluster-registry.ts";
import { ClusterStatementsReader } from "../store/clusters/cluster-statements.ts";
import { PostgresAccounts } from "../store/identity/accounts.ts";
import { PostgresBillingDetails } from "../store/ledger/billing-details.ts";
import { PostgresCreditRequests } from "../store/ledger/credit-requests.ts";
import { PostgresLiabilityProofs } from "../store/ledger/liability-proofs.ts";
import { PostgresPayouts } from "../store/ledger/payouts.ts";
import { PostgresProviderEarnings } from "../store/ledger/provider-earnings.ts";
import { PostgresRedeemCodes } from "../store/ledger/redeem-codes.ts";
import { PostgresStatementsReader } from "../store/ledger/statements-reader.ts";
import { PostgresAttemptCounts, PostgresRateWindows } from "../store/rate-limits.ts";
import { PostgresProviderReports } from "../store/usage/reconciliation.ts";
import type { BillingMail } from "./billing-mail.ts";
import { createSpending } from "./create-spending.ts";
import type { BaseServices, LedgerServices, LimitServices, NotifyServices } from "./services.ts";

/** Creates the services of money. */
export async function createLedger(
  base: BaseServices,
  { alertMonitor }: Pick<NotifyServices, "alertMonitor">,
  billingMail: BillingMail,
) {
  const { config, database, clock, warnThrottled, elsewhere } = base;
  const settledTotals = new SettledTotals();
  const spending = await createSpending(base, (settlements) => {
    settledTotals.count(settlements);
    alertMonitor.onCharges(settlements);
  });
  const home = spending.get(HOME);
  if (home === undefined) throw new Error("Nothing can be spent.");
  const redeemCodeStore = new PostgresRedeemCodes(database, elsewhere);
  const attemptLimiter = new AttemptLimiter(new PostgresAttemptCounts(database));
  const creditRequests = new CreditRequests({
    store: new PostgresCreditRequests(database, elsewhere),
    admit: (accountId) => attemptLimiter.check("credit-request", { address: accountId }),
    onCredit: (accountId) => alertMonitor.onBalanceChange(accountId),
    onAsked: () => {
      const link = billingMail.linkTo("operator/accounts");
      new PostgresAccounts(database)
        .findOperator()
        .then((operator) => operator && billingMail.send(operator.id, (to) => creditsRequestedEmail(to, link)))
        .catch((error: unknown) => warnThrottled(error, "The operator could not be told of a request for credits."));
    },
    onDecided: ({ email, state }) => {
      const link = billingMail.linkTo("billing");
      if (email !== undefined) billingMail.sendTo(creditRequestDecidedEmail(email, state === "granted", link));
    },
  });
  const services: LedgerServices = {
    ...home.services,
    settledTotals,
    statementsReader: createStatementsReader(base),
    billingDetails: new PostgresBillingDetails(database),
    redeemCodes: new RedeemCodes(redeemCodeStore, (accountId) => alertMonitor.onBalanceChange(accountId)),
    redeemCodeStore,
    creditRequests,
    providerEarnings: new PostgresProviderEarnings(database, elsewhere),
    payouts: new PostgresPayouts(database),
    liabilityProofs: new PostgresLiabilityProofs(database, elsewhere),
    reconciler: new Reconciler(new PostgresProviderReports(database, elsewhere), config.reconciliation, clock),
  };
  return { services, spending, sweep: () => home.sweep() };
}

/** Of an account on another cluster, payments are at home and charges are there. */
function createStatementsReader({ database, clusters }: BaseServices): StatementsReader {
  const home = new PostgresStatementsReader(database);
  if (clusters === undefined) return home;
  const readers = new Map(
    clusters.all.map((cluster) => [cluster.number, new PostgresStatementsReader(cluster.database)]),
  );
  return new ClusterStatementsReader(home, (accountId) => {
    const { cluster } = clusters.placements.of(accountId);
    return [cluster, ...clusters.placements.othersOf(accountId)].flatMap((number) => readers.get(number) ?? []);
  });
}

/** Creates the limits on how often accounts, keys and addresses may call. */
export function createLimits({ config, database, clock }: BaseServices, settlementWriter: ChargeQueue) {
  const windows = new PostgresRateWindows(database);
  const { bodyMemoryBytes, attachmentBodyBytes } = config.limits;
  // A body takes several times its size while it is read and sent on.
  const memoryBytes = bodyMemoryBytes ?? getHeapStatistics().heap_size_limit / 8;
  const services: LimitServices = {
    bodyMemory: new BodyMemory(bodyMemoryLimits(memoryBytes, attachmentBodyBytes)),
    rateLimiter: new RateLimiter(config.limits, windows, clock),
    tryLimiter: new TryLimiter(windows),
    admissionQueue: new AdmissionQueue(config.limits, clock, settlementWriter),
  };
  return { services, sweep: () => windows.sweep() };
}
