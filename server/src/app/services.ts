import type { Adapter } from "@trunkline/core/adapter.ts";
import type { BackgroundWork } from "@trunkline/core/background-work.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import type { Logger } from "@trunkline/core/log.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Evidence } from "@trunkline/core/prediction.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { CallerGuard } from "@trunkline/guard/policy/caller-guard.ts";
import type { RetryBudget } from "@trunkline/providers/call/retry-policy.ts";
import type { ModelCatalogue } from "@trunkline/providers/catalogue/model-catalogue.ts";
import type { ModelRegistry } from "@trunkline/providers/catalogue/model-registry.ts";
import type { ProviderKeys } from "@trunkline/providers/catalogue/provider-keys.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import type { Discovery } from "@trunkline/providers/discovery/discovery.ts";
import type { DiscoverySchedule } from "@trunkline/providers/discovery/discovery-schedule.ts";
import type { EndpointHealth } from "@trunkline/providers/health/endpoint-health.ts";
import type { EndpointStats, EndpointStatsWriter } from "@trunkline/providers/health/endpoint-stats.ts";
import type { Prober } from "@trunkline/providers/health/prober.ts";
import type { Feedback } from "@trunkline/router/learn/feedback.ts";
import type { LengthStats } from "@trunkline/router/learn/length-stats.ts";
import type { OutcomeLearner } from "@trunkline/router/learn/outcome-learner.ts";
import type { OutcomeSync } from "@trunkline/router/learn/outcome-sync.ts";
import type { Predictor } from "@trunkline/router/predict/predictor.ts";
import type { StickySessions } from "@trunkline/router/rank/sticky-sessions.ts";
import type { BatchWorker } from "../batches/batch-worker.ts";
import type { Batches } from "../batches/batches.ts";
import type { AnswerCache } from "../cache/answer-cache.ts";
import type { ApiKeys } from "../identity/keys/api-keys.ts";
import type { Keyring } from "../identity/keys/keyring.ts";
import type { InvitationAcceptance } from "../identity/organisations/accept-invitation.ts";
import type { Invitations } from "../identity/organisations/invitations.ts";
import type { Members } from "../identity/organisations/members.ts";
import type { Organisations } from "../identity/organisations/organisations.ts";
import type { AttemptLimiter, KnownDevices } from "../identity/people/attempt-limiter.ts";
import type { LogIn } from "../identity/people/log-in.ts";
import type { Passkeys } from "../identity/people/passkeys.ts";
import type { PasswordHasher } from "../identity/people/password.ts";
import type { Profile } from "../identity/people/profile.ts";
import type { SecondFactor } from "../identity/people/second-factor.ts";
import type { SignUp } from "../identity/people/sign-up.ts";
import type { AccountFunds } from "../ledger/billing/account-funds.ts";
import type { RedeemCodes } from "../ledger/billing/redeem-codes.ts";
import type { Settlement } from "../ledger/billing/settlement.ts";
import type { SettlementWriter } from "../ledger/billing/settlement-writer.ts";
import type { RateLimiter } from "../ledger/limits/rate-limiter.ts";
import type { TryLimiter } from "../ledger/limits/try-limiter.ts";
import type { Reconciler } from "../ledger/reconciliation.ts";
import type { AlertMonitor } from "../notify/alert-monitor.ts";
import type { LinkBuilder } from "../notify/mail/emails.ts";
import type { Mailer } from "../notify/mail/mailer.ts";
import type { Webhooks } from "../notify/webhooks/webhooks.ts";
import type { DatabaseAddress } from "../store/database/database.ts";
import type { PostgresFleet } from "../store/database/fleet.ts";
import type { PostgresAccounts, PostgresCustomers } from "../store/identity/accounts.ts";
import type { PostgresApiKeys } from "../store/identity/api-keys.ts";
import type { PostgresAuditLog } from "../store/identity/audit-log.ts";
import type { PostgresPeople } from "../store/identity/people.ts";
import type { PostgresSessions } from "../store/identity/sessions.ts";
import type { PostgresBillingDetails } from "../store/ledger/billing-details.ts";
import type { PostgresIdempotentRuns } from "../store/ledger/idempotent-runs.ts";
import type { PostgresLedger } from "../store/ledger/ledger.ts";
import type { PostgresRedeemCodes } from "../store/ledger/redeem-codes.ts";
import type { PostgresStatementsReader } from "../store/ledger/statements-reader.ts";
import type { PostgresFeedback } from "../store/models/learning.ts";
import type { PostgresModels } from "../store/models/models.ts";
import type { AccountOverviews } from "../store/usage/account-overview.ts";
import type { ReconciledUsage } from "../store/usage/reconciliation.ts";
import type { RequestLog } from "../store/usage/request-log.ts";
import type { LatencySeries, UsageSeries } from "../store/usage/time-series.ts";
import type { UsageReader } from "../store/usage/usage-reader.ts";
import type { Config } from "./config/config.ts";
import type { LiveSettings } from "./live-settings.ts";
import type { Metrics } from "./metrics.ts";

/** The services of people: registration, log-in, and their own profile. */
export interface IdentityServices {
  readonly attemptLimiter: AttemptLimiter;
  readonly knownDevices: KnownDevices;
  readonly hasher: PasswordHasher;
  readonly mailer: Mailer;
  /** Where the service knows itself to be: what is mailed leads there, whatever a request claims. */
  readonly origin: string;
  readonly linkTo: LinkBuilder;
  readonly signUp: SignUp;
  readonly logIn: LogIn;
  readonly profile: Profile;
  readonly passkeys: Passkeys;
  readonly secondFactor: SecondFactor;
}

/** Whether outcomes change what is predicted for an account, and models are tried out on its requests. */
export interface LearningPolicy {
  isFrozen(caller: Pick<Caller, "learning">): boolean;
}

/** Everything the service is made of, by name. Built once, handed down, replaced piece by piece in tests. */
export interface Services {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  /** For trouble that each request would report again: said once a minute. */
  warnThrottled(error: unknown, words: string, requestId?: string): void;
  readonly metrics: Metrics;
  readonly keyring: Keyring;
  readonly sessions: PostgresSessions;
  readonly auditLog: PostgresAuditLog;
  readonly people: PostgresPeople;
  /** All about who people are and how they come in. */
  readonly identity: IdentityServices;
  readonly organisations: Organisations;
  readonly members: Members;
  readonly invitations: Invitations;
  /** What invited people may do with their link. */
  readonly invitationAnswers: InvitationAcceptance;
  readonly rateLimiter: RateLimiter;
  readonly tryLimiter: TryLimiter;
  readonly catalogue: ModelCatalogue;
  /** What requests are about, and how well each model will answer them. */
  readonly predictor: Predictor;
  /** What was learnt from outcomes while serving. */
  readonly evidence: Evidence;
  /** How long models' answers usually are. */
  readonly lengthStats: Pick<LengthStats, "forWork">;
  readonly outcomeLearner: OutcomeLearner;
  readonly outcomeSync: OutcomeSync;
  readonly feedback: Feedback;
  readonly outcomes: PostgresFeedback;
  readonly learningPolicy: LearningPolicy;
  /** Chance, wherever a route is left to it. */
  readonly random: Random;
  /** Which models the clients' sessions stay with. */
  readonly stickySessions: StickySessions;
  readonly health: EndpointHealth;
  /** How many further attempts each account's requests may make. */
  readonly retryBudget: RetryBudget;
  readonly endpointStatsWriter: EndpointStatsWriter;
  readonly endpointStats: EndpointStats;
  /** Calls idle models now and then, to know how they do. */
  readonly prober: Prober;
  /** The safety check, by the policy that holds for a caller at this moment. */
  guardFor(caller: Caller): CallerGuard;
  readonly settings: LiveSettings;
  readonly fleet: PostgresFleet;
  readonly customers: PostgresCustomers;
  readonly dialer: Dialer;
  readonly adapterFor: (model: Model) => Adapter;
  readonly accountFunds: AccountFunds;
  readonly settlementWriter: SettlementWriter;
  readonly ledger: PostgresLedger;
  readonly idempotentRuns: PostgresIdempotentRuns;
  /** Answers that may be given again. */
  readonly cache: AnswerCache;
  readonly batches: Batches;
  readonly batchWorker: BatchWorker;
  readonly accounts: PostgresAccounts;
  readonly statementsReader: PostgresStatementsReader;
  readonly billingDetails: PostgresBillingDetails;
  readonly redeemCodes: RedeemCodes;
  readonly redeemCodeStore: PostgresRedeemCodes;
  readonly apiKeys: PostgresApiKeys;
  readonly keys: ApiKeys;
  readonly webhooks: Webhooks;
  readonly alertMonitor: AlertMonitor;
  readonly modelStore: PostgresModels;
  readonly models: ModelRegistry;
  /** Models that are known without being registered, by their providers' keys. */
  readonly discovery: Discovery;
  readonly discoverySchedule: DiscoverySchedule;
  /** Accounts' own keys for providers. */
  readonly providerKeys: ProviderKeys;
  readonly usageReader: UsageReader;
  readonly requestLog: RequestLog;
  readonly usageSeries: UsageSeries;
  readonly latencySeries: LatencySeries;
  readonly accountOverviews: AccountOverviews;
  readonly reconciler: Reconciler;
  readonly reconciledUsage: ReconciledUsage;
  /** One controller per running request: aborted when the service must stop before they end. */
  readonly inFlight: Set<AbortController>;
  /** Whatever is still being handled, also for clients who are gone. */
  readonly backgroundWork: BackgroundWork;
  /** Puts a refusal on record without making the client wait for it. */
  recordRefusal(settlement: Settlement): void;
  /** Runs what must be done by one instance at a time, such as the preparations of a start. */
  runExclusive<Result>(work: () => Promise<Result>): Promise<Result>;
  isReady(): Promise<boolean>;
  /** Settles what is left, returns the leases and lets go of the store. Nothing may be running any more. */
  close(): Promise<void>;
}

/** What the services are created from. */
export interface AppOptions {
  readonly config: Config;
  readonly address: DatabaseAddress;
  readonly secret: Secret;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
}
