import type { Adapter } from "@trunkline/core/adapter.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import type { Following } from "@trunkline/core/following.ts";
import type { Logger } from "@trunkline/core/log.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Evidence } from "@trunkline/core/prediction.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { CallerGuard } from "@trunkline/guard/policy/caller-guard.ts";
import type { RetryBudget } from "@trunkline/providers/call/retry-budget.ts";
import type { ModelCatalogue } from "@trunkline/providers/catalogue/model-catalogue.ts";
import type { ModelDesk } from "@trunkline/providers/catalogue/model-registry.ts";
import type { OwnKeys } from "@trunkline/providers/catalogue/own-keys.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import type { Discovery } from "@trunkline/providers/discovery/discovery.ts";
import type { DiscoveryRounds } from "@trunkline/providers/discovery/discovery-schedule.ts";
import type { EndpointBoard } from "@trunkline/providers/health/endpoint-board.ts";
import type { EndpointDiary } from "@trunkline/providers/health/endpoint-diary.ts";
import type { EndpointHealth } from "@trunkline/providers/health/endpoint-health.ts";
import type { Prober } from "@trunkline/providers/health/prober.ts";
import type { FeedbackDesk } from "@trunkline/router/learn/feedback.ts";
import type { LengthBook } from "@trunkline/router/learn/length-book.ts";
import type { Lessons } from "@trunkline/router/learn/outcome-learner.ts";
import type { LessonKeeper } from "@trunkline/router/learn/outcome-sync.ts";
import type { Predictor } from "@trunkline/router/predict/predictor.ts";
import type { StickySessions } from "@trunkline/router/rank/sticky-sessions.ts";
import type { BatchDesk } from "../batches/batch-desk.ts";
import type { BatchWorker } from "../batches/batch-worker.ts";
import type { AnswerCache } from "../cache/answer-cache.ts";
import type { KeyDesk } from "../identity/keys/key-desk.ts";
import type { Keyring } from "../identity/keys/keyring.ts";
import type { InvitationAnswers } from "../identity/organisations/invitation-answers.ts";
import type { InvitationDesk } from "../identity/organisations/invitation-desk.ts";
import type { MemberDesk } from "../identity/organisations/member-desk.ts";
import type { OrganisationDesk } from "../identity/organisations/organisation-desk.ts";
import type { Devices } from "../identity/people/device.ts";
import type { LogIn } from "../identity/people/log-in.ts";
import type { PasskeyDesk } from "../identity/people/passkeys.ts";
import type { PasswordHasher } from "../identity/people/password-hash.ts";
import type { OwnDesk } from "../identity/people/profile.ts";
import type { SecondFactor } from "../identity/people/second-factor.ts";
import type { SignUp } from "../identity/people/sign-up.ts";
import type { Turnstile } from "../identity/people/turnstile.ts";
import type { CodeDesk } from "../ledger/billing/code-desk.ts";
import type { Funds } from "../ledger/billing/funds.ts";
import type { Settlement } from "../ledger/billing/settlement.ts";
import type { Settler } from "../ledger/billing/settlement-writer.ts";
import type { RateLimiter } from "../ledger/limits/rate-limiter.ts";
import type { TryLimiter } from "../ledger/limits/try-limiter.ts";
import type { Reconciler } from "../ledger/reconciler.ts";
import type { Lookout } from "../notify/alert-monitor.ts";
import type { LinkMaker } from "../notify/mail/emails.ts";
import type { Postman } from "../notify/mail/mailer.ts";
import type { WebhookDesk } from "../notify/webhooks/webhook-desk.ts";
import type { DatabaseAddress } from "../store/database/database.ts";
import type { PostgresFleet } from "../store/database/fleet.ts";
import type { PostgresAccounts } from "../store/identity/accounts.ts";
import type { PostgresApiKeys } from "../store/identity/api-keys.ts";
import type { PostgresDeeds } from "../store/identity/audit-log.ts";
import type { PostgresCustomers } from "../store/identity/customers.ts";
import type { PostgresPeople } from "../store/identity/people.ts";
import type { PostgresSessions } from "../store/identity/sessions.ts";
import type { PostgresBillingDetails } from "../store/ledger/billing-details.ts";
import type { PostgresBooks } from "../store/ledger/books.ts";
import type { PostgresRuns } from "../store/ledger/idempotent-runs.ts";
import type { PostgresLedger } from "../store/ledger/ledger.ts";
import type { PostgresRedeemCodes } from "../store/ledger/redeem-codes.ts";
import type { PostgresFeedback } from "../store/models/feedback.ts";
import type { PostgresModels } from "../store/models/models.ts";
import type { Overviews } from "../store/usage/account-overview.ts";
import type { Latencies } from "../store/usage/latencies.ts";
import type { ReconciledUsage } from "../store/usage/reconciled-usage.ts";
import type { Records } from "../store/usage/records.ts";
import type { RequestLog } from "../store/usage/request-log.ts";
import type { UsageSeries } from "../store/usage/usage-series.ts";
import type { Config } from "./config/config.ts";
import type { LiveSettings } from "./live-settings.ts";
import type { Metrics } from "./metrics.ts";

/** What the room of people is made of: how somebody becomes known, comes in, and looks after their own things. */
export interface Door {
  readonly turnstile: Turnstile;
  readonly devices: Devices;
  readonly hasher: PasswordHasher;
  readonly postman: Postman;
  /** Where the service knows itself to be: what is mailed leads there, whatever a request claims. */
  readonly origin: string;
  readonly linkTo: LinkMaker;
  readonly signUp: SignUp;
  readonly logIn: LogIn;
  readonly own: OwnDesk;
  readonly passkeys: PasskeyDesk;
  readonly secondFactor: SecondFactor;
}

/** Whether outcomes change what is predicted for an account, and models are tried out on its requests. */
export interface Freezing {
  isFrozen(caller: Pick<Caller, "learning">): boolean;
}

/** Everything the service is made of, by name. Built once, handed down, replaced piece by piece in tests. */
export interface House {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  /** For trouble that each request would report again: said once a minute. */
  warnCalmly(error: unknown, words: string, requestId?: string): void;
  readonly metrics: Metrics;
  readonly keyring: Keyring;
  readonly sessions: PostgresSessions;
  readonly deeds: PostgresDeeds;
  readonly people: PostgresPeople;
  /** All about who people are and how they come in. */
  readonly door: Door;
  readonly organisations: OrganisationDesk;
  readonly members: MemberDesk;
  readonly invitations: InvitationDesk;
  /** What invited people may do with their link. */
  readonly answers: InvitationAnswers;
  readonly rateLimiter: RateLimiter;
  readonly tries: TryLimiter;
  readonly catalogue: ModelCatalogue;
  /** What requests are about, and how well each model will answer them. */
  readonly predictor: Predictor;
  /** What was learnt from outcomes while serving. */
  readonly evidence: Evidence;
  /** How long models' answers usually are. */
  readonly lengths: Pick<LengthBook, "forWork">;
  readonly lessons: Lessons;
  readonly lessonKeeper: LessonKeeper;
  readonly feedback: FeedbackDesk;
  readonly outcomes: PostgresFeedback;
  readonly learning: Freezing;
  /** Chance, wherever a route is left to it. */
  readonly random: Random;
  /** Which models the clients' sessions stay with. */
  readonly stickySessions: StickySessions;
  readonly health: EndpointHealth;
  /** How many further attempts each account's requests may make. */
  readonly retries: RetryBudget;
  readonly diary: EndpointDiary;
  readonly board: EndpointBoard;
  /** Calls idle models now and then, to know how they do. */
  readonly prober: Prober;
  /** The safety check, by the policy that holds for a caller at this moment. */
  guardFor(caller: Caller): CallerGuard;
  readonly settings: LiveSettings;
  readonly fleet: PostgresFleet;
  readonly customers: PostgresCustomers;
  readonly dialer: Dialer;
  readonly adapterFor: (model: Model) => Adapter;
  readonly funds: Funds;
  readonly settler: Settler;
  readonly ledger: PostgresLedger;
  readonly runs: PostgresRuns;
  /** Answers that may be given again. */
  readonly cache: AnswerCache;
  readonly batches: BatchDesk;
  readonly batchWorker: BatchWorker;
  readonly accounts: PostgresAccounts;
  readonly books: PostgresBooks;
  readonly billingDetails: PostgresBillingDetails;
  readonly codes: CodeDesk;
  readonly redeemCodes: PostgresRedeemCodes;
  readonly apiKeys: PostgresApiKeys;
  readonly keys: KeyDesk;
  readonly webhooks: WebhookDesk;
  readonly lookout: Lookout;
  readonly modelStore: PostgresModels;
  readonly models: ModelDesk;
  /** Models that are known without being registered, by their providers' keys. */
  readonly discovery: Discovery;
  readonly rounds: DiscoveryRounds;
  /** Accounts' own keys for providers. */
  readonly ownKeys: OwnKeys;
  readonly records: Records;
  readonly requestLog: RequestLog;
  readonly usageSeries: UsageSeries;
  readonly latencies: Latencies;
  readonly overviews: Overviews;
  readonly reconciler: Reconciler;
  readonly reconciled: ReconciledUsage;
  /** One controller per running request: aborted when the service must stop before they end. */
  readonly inFlight: Set<AbortController>;
  /** Whatever is still being handled, also for clients who are gone. */
  readonly handlers: Following;
  /** Puts a refusal on record without making the client wait for it. */
  recordRefusal(settlement: Settlement): void;
  /** Runs what must be done by one instance at a time, such as the preparations of a start. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  isReady(): Promise<boolean>;
  /** Settles what is left, returns the leases and lets go of the store. Nothing may be running any more. */
  close(): Promise<void>;
}

/** What a house is built from. */
export interface HouseSite {
  readonly config: Config;
  readonly address: DatabaseAddress;
  readonly secret: Secret;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
}
