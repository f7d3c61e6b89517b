import type { ActiveList } from "@trunkline/core/active-list.ts";
import type { Adapter } from "@trunkline/core/adapter.ts";
import type { BackgroundWork } from "@trunkline/core/background-work.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import type { Cancellation } from "@trunkline/core/cancellation.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import type { DataRules } from "@trunkline/core/data-rules.ts";
import type { Logger } from "@trunkline/core/log.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Evidence } from "@trunkline/core/prediction.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Sealer, Secret } from "@trunkline/core/secret.ts";
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
import type { GuardrailHooks } from "../guardrails/guardrail-hooks.ts";
import type { AuditSigner } from "../identity/audit-signer.ts";
import type { Directory } from "../identity/directory/directory.ts";
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
import type { WaitingSignUps } from "../identity/people/waiting-sign-ups.ts";
import type { Wallets } from "../identity/people/wallets.ts";
import type { EmailDomains } from "../identity/sso/email-domains.ts";
import type { SsoLogIns } from "../identity/sso/sso-log-in.ts";
import type { SsoSettings } from "../identity/sso/sso-settings.ts";
import type { ServiceAccounts } from "../identity/workloads/service-accounts.ts";
import type { TokenExchange } from "../identity/workloads/token-exchange.ts";
import type { AccountFunds } from "../ledger/billing/account-funds.ts";
import type { CreditRequests } from "../ledger/billing/credit-requests.ts";
import type { IdempotentRunStore } from "../ledger/billing/idempotent-run.ts";
import type { LedgerStore } from "../ledger/billing/ledger-store.ts";
import type { RedeemCodes } from "../ledger/billing/redeem-codes.ts";
import type { SettledTotals } from "../ledger/billing/settled-totals.ts";
import type { Settlement } from "../ledger/billing/settlement.ts";
import type { SettlementWriter } from "../ledger/billing/settlement-writer.ts";
import type { StatementsReader } from "../ledger/billing/statements-reader.ts";
import type { AdmissionQueue } from "../ledger/limits/admission-queue.ts";
import type { BodyMemory } from "../ledger/limits/body-memory.ts";
import type { RateLimiter } from "../ledger/limits/rate-limiter.ts";
import type { TryLimiter } from "../ledger/limits/try-limiter.ts";
import type { Reconciler } from "../ledger/reconciliation.ts";
import type { AlertMonitor } from "../notify/alert-monitor.ts";
import type { LinkBuilder } from "../notify/mail/emails.ts";
import type { Mailer } from "../notify/mail/mailer.ts";
import type { Webhooks } from "../notify/webhooks/webhooks.ts";
import type { AutoTopUps } from "../payments/card/auto-top-ups.ts";
import type { CardPayments } from "../payments/card/card-payments.ts";
import type { TokenChain } from "../payments/token/token-chain.ts";
import type { TokenPayouts } from "../payments/token/token-payouts.ts";
import type { TokenSettings } from "../payments/token/token-settings.ts";
import type { TokenWatcher } from "../payments/token/token-watcher.ts";
import type { X402Payments } from "../payments/x402/x402-payments.ts";
import type { PostgresAccountRetention } from "../store/account-retention.ts";
import type { AccountsElsewhere } from "../store/clusters/accounts-elsewhere.ts";
import type { ClusterDirectory } from "../store/clusters/cluster-directory.ts";
import type { Database } from "../store/database/database.ts";
import type { PostgresFleet } from "../store/database/fleet.ts";
import type { ReadResult } from "../store/database/read-replica.ts";
import type { DatabaseAddress } from "../store/database/servers.ts";
import type { PostgresAccounts, PostgresCustomers } from "../store/identity/accounts.ts";
import type { PostgresApiKeys } from "../store/identity/api-keys.ts";
import type { PostgresAuditLog } from "../store/identity/audit-log.ts";
import type { PostgresPeople } from "../store/identity/people.ts";
import type { PostgresPersonalData } from "../store/identity/personal-data.ts";
import type { PostgresSessions } from "../store/identity/sessions.ts";
import type { Instance } from "../store/instances.ts";
import type { PostgresBillingDetails } from "../store/ledger/billing-details.ts";
import type { PostgresLiabilityProofs } from "../store/ledger/liability-proofs.ts";
import type { PostgresPayouts } from "../store/ledger/payouts.ts";
import type { PostgresProviderEarnings } from "../store/ledger/provider-earnings.ts";
import type { PostgresRedeemCodes } from "../store/ledger/redeem-codes.ts";
import type { PostgresFeedback } from "../store/models/learning.ts";
import type { PostgresModels } from "../store/models/models.ts";
import type { PostgresTokenDeposits } from "../store/payments/token-deposits.ts";
import type { AccountOverviews } from "../store/usage/account-overview.ts";
import type { ReconciledUsage } from "../store/usage/reconciliation.ts";
import type { RequestLog } from "../store/usage/request-log.ts";
import type { LatencySeries, UsageSeries } from "../store/usage/time-series.ts";
import type { UsageReader } from "../store/usage/usage-reader.ts";
import type { Conversations } from "../stored-responses/conversations.ts";
import type { StoredResponses } from "../stored-responses/stored-responses.ts";
import type { LogSinks } from "../telemetry/log-sinks/log-sinks.ts";
import type { RequestClient } from "../telemetry/request-spans.ts";
import type { Tracer } from "../telemetry/tracer.ts";
import type { CertificateSource } from "../tls/certificate-source.ts";
import type { TlsSettings } from "../tls/tls-settings.ts";
import type { Config } from "./config/config.ts";
import type { LiveSettings } from "./live-settings.ts";
import type { MergeMetrics, Metrics } from "./metrics.ts";
import type { Clusters } from "./open-clusters.ts";

/** Who calls: accounts, organisations, people, API keys, and how people register and log in. */
export interface IdentityServices {
  readonly accounts: PostgresAccounts;
  readonly customers: PostgresCustomers;
  /** For how long accounts' data is kept. */
  readonly retention: PostgresAccountRetention;
  readonly organisations: Organisations;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly invitationAcceptance: InvitationAcceptance;
  readonly apiKeys: ApiKeys;
  readonly apiKeyStore: PostgresApiKeys;
  /** Looks up the caller of a request by the hash of its key. */
  readonly keyring: Keyring;
  readonly people: PostgresPeople;
  readonly sessions: PostgresSessions;
  readonly signUp: SignUp;
  readonly waitingSignUps: WaitingSignUps;
  readonly logIn: LogIn;
  readonly profile: Profile;
  readonly passkeys: Passkeys;
  readonly secondFactor: SecondFactor;
  readonly hasher: PasswordHasher;
  readonly attemptLimiter: AttemptLimiter;
  readonly knownDevices: KnownDevices;
  /** The service's own address: links in e-mails lead there, whatever host a request names. */
  readonly origin: string;
  readonly linkTo: LinkBuilder;
  readonly auditLog: PostgresAuditLog;
  /** Signs exports of the audit log. */
  readonly auditSigner: AuditSigner;
  readonly personalData: PostgresPersonalData;
  readonly sso: SsoServices;
  /** What organisations' directories manage, by SCIM. */
  readonly directory: Directory;
  readonly serviceAccounts: ServiceAccounts;
  readonly tokenExchange: TokenExchange;
}

/** Single sign-on at organisations' own identity providers. */
export interface SsoServices {
  readonly settings: SsoSettings;
  readonly domains: EmailDomains;
  readonly logIns: SsoLogIns;
}

/** What spends the credits of accounts: each cluster has one. */
export interface Spending {
  readonly store: LedgerStore;
  readonly funds: AccountFunds;
  readonly settlementWriter: SettlementWriter;
  readonly idempotentRuns: IdempotentRunStore;
  /** Writes the record of a refused request without making the client wait for it. */
  recordRefusal(settlement: Settlement): void;
}

/** Money: holds, settlements, statements and credits. */
export interface LedgerServices extends Spending {
  readonly settledTotals: SettledTotals;
  readonly statementsReader: StatementsReader;
  readonly billingDetails: PostgresBillingDetails;
  readonly redeemCodes: RedeemCodes;
  readonly redeemCodeStore: PostgresRedeemCodes;
  readonly creditRequests: CreditRequests;
  readonly providerEarnings: PostgresProviderEarnings;
  readonly payouts: PostgresPayouts;
  /** Proofs of what the service owes to its accounts. */
  readonly liabilityProofs: PostgresLiabilityProofs;
  /** Compares what was charged with what providers report. */
  readonly reconciler: Reconciler;
}

/** Payments by token, and the wallets that make them. */
export interface TokenServices {
  readonly settings: TokenSettings;
  readonly chain: TokenChain;
  readonly deposits: PostgresTokenDeposits;
  /** Reads the chain, on one instance at a time. */
  readonly watcher: TokenWatcher;
  readonly wallets: Wallets;
  /** Undefined: providers are not paid in the token. */
  readonly payouts: TokenPayouts | undefined;
  /** To be called after credits were added to an account. */
  readonly onCredit: (accountId: string) => void;
}

/** Payments by card. */
export interface CardServices {
  readonly payments: CardPayments;
  readonly autoTopUps: AutoTopUps;
}

/** How the service speaks TLS. */
export interface TlsServices {
  readonly settings: TlsSettings;
  readonly certificates: CertificateSource;
  /** Warns where the certificate is about to expire. */
  sweep(): Promise<void>;
}

/** Limits on how often accounts, keys and addresses may call. */
export interface LimitServices {
  readonly rateLimiter: RateLimiter;
  readonly bodyMemory: BodyMemory;
  readonly tryLimiter: TryLimiter;
  readonly admissionQueue: AdmissionQueue;
}

/** Whether outcomes change what is predicted for an account, and whether its requests may explore models. */
export interface LearningPolicy {
  isFrozen(caller: Pick<Caller, "learning">): boolean;
}

/** The choice of a model for a request, and what is learnt from its outcome. */
export interface RoutingServices {
  readonly predictor: Predictor;
  readonly random: Random;
  readonly stickySessions: StickySessions;
  readonly evidence: Evidence;
  readonly lengthStats: Pick<LengthStats, "forWork">;
  readonly outcomeLearner: OutcomeLearner;
  readonly outcomeSync: OutcomeSync;
  readonly feedback: Feedback;
  readonly feedbackStore: PostgresFeedback;
  readonly learningPolicy: LearningPolicy;
}

/** Models, their providers' endpoints, and connections to them. */
export interface ProviderServices {
  readonly catalogue: ModelCatalogue;
  readonly models: ModelRegistry;
  readonly modelStore: PostgresModels;
  /** Accounts' own keys for providers. */
  readonly providerKeys: ProviderKeys;
  /** Offers models that were not registered but are known by the keys of their providers. */
  readonly discovery: Discovery;
  readonly discoverySchedule: DiscoverySchedule;
  readonly dialer: Dialer;
  readonly adapterFor: (model: Model) => Adapter;
  readonly health: EndpointHealth;
  readonly endpointStats: EndpointStats;
  readonly endpointStatsWriter: EndpointStatsWriter;
  /** Calls idle models at intervals to learn whether they respond. */
  readonly prober: Prober;
  /** How many further attempts each account's requests may make. */
  readonly retryBudget: RetryBudget;
}

/** Readers of past requests, all on one server. */
export interface UsageReaders {
  readonly reader: UsageReader;
  readonly requestLog: RequestLog;
  readonly usageSeries: UsageSeries;
  readonly latencySeries: LatencySeries;
}

/** Reports on past requests. The readers are the primary's: what was just written is in them. */
export interface UsageServices extends UsageReaders {
  /** Reads from a replica where there is one that is fresh and answers, otherwise from the primary. `work` may run twice. */
  readPast<Result>(work: (readers: UsageReaders) => Promise<Result>): Promise<ReadResult<Result>>;
  readonly accountOverviews: AccountOverviews;
  readonly reconciled: ReconciledUsage;
}

/** Messages to accounts and people. */
export interface NotifyServices {
  readonly webhooks: Webhooks;
  readonly alertMonitor: AlertMonitor;
  readonly mailer: Mailer;
}

export interface BatchServices {
  readonly batches: Batches;
  readonly worker: BatchWorker;
}

/** What later requests can continue or refer to. */
export interface StoredResponseServices {
  readonly responses: StoredResponses;
  readonly conversations: Conversations;
}

/** What runs in this instance, and how it starts and stops. */
export interface LifecycleServices {
  /** One entry per running request, aborted when the service must stop before the request ends. */
  readonly inFlight: ActiveList<Cancellation>;
  /** Work that outlasts its request, also after the client has disconnected. */
  readonly backgroundWork: BackgroundWork;
  readonly fleet: PostgresFleet;
  /** Runs what only one instance may do at a time, such as the preparations of a start. */
  runExclusive<Result>(work: () => Promise<Result>): Promise<Result>;
  isReady(): Promise<boolean>;
  /** By how much the machine's clock is ahead of the store's, whose time is used; undefined: not measured. */
  clockSkewMs(): number | undefined;
  /** From now on it is not ready: it is about to stop. */
  announceStop(): void;
  /** Settles what is left, returns the leases and closes all connections. No request may be running any more. */
  close(): Promise<void>;
}

/** All services, by subject. Created once and passed down; tests replace single ones. */
export interface Services {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  /** For warnings that every request would repeat: each is logged once a minute. */
  warnThrottled(error: unknown, words: string, requestId?: string): void;
  readonly metrics: Metrics;
  /** Gives requests their place in a trace; undefined: no traces are made. */
  readonly tracer: Tracer | undefined;
  /** To be called when a request has ended: its metrics, spans and line in the access log are made from its trace. */
  readonly observeRequest: (trace: RequestTrace, status: number, client?: RequestClient) => void;
  /** Where accounts have their requests logged. */
  readonly logSinks: LogSinks;
  /** What accounts have asked about their requests and answers. */
  readonly guardrailHooks: GuardrailHooks;
  readonly settings: LiveSettings;
  readonly identity: IdentityServices;
  readonly ledger: LedgerServices;
  /** Undefined: the service accepts no token. */
  readonly token: TokenServices | undefined;
  /** Payments for single requests; undefined: the service takes none. */
  readonly x402: X402Payments | undefined;
  /** Undefined: the service takes no cards. */
  readonly card: CardServices | undefined;
  /** Undefined: the service speaks plain HTTP. */
  readonly tls: TlsServices | undefined;
  readonly limits: LimitServices;
  readonly providers: ProviderServices;
  readonly routing: RoutingServices;
  /** The safety check under the policy that applies to a caller now. */
  guardFor(caller: Caller, requestRules?: DataRules): CallerGuard;
  /** Answers that may be given again. */
  readonly cache: AnswerCache;
  readonly batching: BatchServices;
  readonly stored: StoredResponseServices;
  readonly usage: UsageServices;
  readonly notify: NotifyServices;
  readonly lifecycle: LifecycleServices;
  /** The clusters that accounts are placed on; undefined: there is one database. */
  readonly clusterDirectory: ClusterDirectory | undefined;
  /**
   * The services that spend and read on the cluster where an account is now. A request keeps those that it began with.
   * undefined: there is one database, and these are those of every account.
   */
  readonly forAccount: ((accountId: string) => Services) | undefined;
}

/** What the parts of the services share when they are created. */
export interface BaseServices extends Pick<Services, "config" | "clock" | "log" | "warnThrottled" | "settings"> {
  readonly database: Database;
  /** undefined: there is one database. */
  readonly clusters: Clusters | undefined;
  /** What accounts have on other clusters than `database`. */
  readonly elsewhere: AccountsElsewhere;
  readonly instance: Pick<Instance, "id" | "reclaimDeadInstances">;
  readonly sealer: Sealer;
  readonly dialer: Dialer;
  readonly backgroundWork: BackgroundWork;
  readonly random: Random;
}

/** What the services are created from. */
export interface AppOptions {
  readonly config: Config;
  readonly address: DatabaseAddress;
  readonly secret: Secret;
  /** The secret before, which still opens what it sealed; undefined: it was not changed. */
  readonly secretFallback?: Secret | undefined;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Adds the other workers' metrics; undefined: there are none. */
  readonly mergeMetrics?: MergeMetrics | undefined;
}
