import type { KeyDesk } from "./accounts/key-desk.ts";
import type { Lookout } from "./alerts/lookout.ts";
import type { WebhookDesk } from "./alerts/webhook-desk.ts";
import type { Keyring } from "./auth/keyring.ts";
import type { BatchDesk } from "./batches/batch-desk.ts";
import type { BatchWorker } from "./batches/batch-worker.ts";
import type { CodeDesk } from "./billing/code-desk.ts";
import type { Funds } from "./billing/funds.ts";
import type { Settlement } from "./billing/settlement.ts";
import type { Settler } from "./billing/settler.ts";
import type { AnswerCache } from "./cache/answer-cache.ts";
import type { Config } from "./config.ts";
import type { Caller } from "./domain/caller.ts";
import type { Model } from "./domain/model.ts";
import type { Evidence } from "./domain/prediction.ts";
import type { Clock } from "./kit/clock.ts";
import type { Dialer } from "./kit/dialer.ts";
import type { Following } from "./kit/following.ts";
import type { Logger } from "./kit/log.ts";
import type { Random } from "./kit/random.ts";
import type { Secret } from "./kit/secret.ts";
import type { RateLimiter } from "./limits/rate-limiter.ts";
import type { TryLimiter } from "./limits/try-limiter.ts";
import type { LiveSettings } from "./live-settings.ts";
import type { Metrics } from "./metrics.ts";
import type { InvitationAnswers } from "./organisations/invitation-answers.ts";
import type { InvitationDesk } from "./organisations/invitation-desk.ts";
import type { MemberDesk } from "./organisations/member-desk.ts";
import type { OrganisationDesk } from "./organisations/organisation-desk.ts";
import type { Devices } from "./people/device.ts";
import type { LinkMaker } from "./people/letter.ts";
import type { LogIn } from "./people/log-in.ts";
import type { OwnDesk } from "./people/own-desk.ts";
import type { PasskeyDesk } from "./people/passkey.ts";
import type { PasswordHasher } from "./people/password-hash.ts";
import type { Postman } from "./people/postman.ts";
import type { SecondFactor } from "./people/second-factor.ts";
import type { SignUp } from "./people/sign-up.ts";
import type { Turnstile } from "./people/turnstile.ts";
import type { Adapter } from "./providers/adapter.ts";
import type { EndpointBoard } from "./providers/endpoint-board.ts";
import type { EndpointDiary } from "./providers/endpoint-diary.ts";
import type { EndpointHealth } from "./providers/endpoint-health.ts";
import type { Discovery } from "./providers/known/discovery.ts";
import type { DiscoveryRounds } from "./providers/known/rounds.ts";
import type { ModelCatalogue } from "./providers/model-catalogue.ts";
import type { ModelDesk } from "./providers/model-desk.ts";
import type { OwnKeys } from "./providers/own-keys.ts";
import type { Prober } from "./providers/prober.ts";
import type { Reconciler } from "./providers/reconciler.ts";
import type { RetryBudget } from "./providers/retry-budget.ts";
import type { FeedbackDesk } from "./route/learn/feedback-desk.ts";
import type { LengthBook } from "./route/learn/length-book.ts";
import type { LessonKeeper } from "./route/learn/lesson-keeper.ts";
import type { Lessons } from "./route/learn/lessons.ts";
import type { Predictor } from "./route/predictor.ts";
import type { StickySessions } from "./route/sticky-sessions.ts";
import type { CallerGuard } from "./safety/caller-guard.ts";
import type { PostgresAccounts } from "./store/accounts.ts";
import type { PostgresApiKeys } from "./store/api-keys.ts";
import type { PostgresBillingDetails } from "./store/billing-details.ts";
import type { PostgresBooks } from "./store/books.ts";
import type { PostgresCustomers } from "./store/customers.ts";
import type { DatabaseAddress } from "./store/database.ts";
import type { PostgresDeeds } from "./store/deeds.ts";
import type { PostgresFeedback } from "./store/feedback.ts";
import type { PostgresFleet } from "./store/fleet.ts";
import type { PostgresRuns } from "./store/idempotency.ts";
import type { Latencies } from "./store/latencies.ts";
import type { PostgresLedger } from "./store/ledger.ts";
import type { PostgresModels } from "./store/models.ts";
import type { Overviews } from "./store/overview.ts";
import type { PostgresPeople } from "./store/people.ts";
import type { ReconciledUsage } from "./store/reconciled-usage.ts";
import type { Records } from "./store/records.ts";
import type { PostgresRedeemCodes } from "./store/redeem-codes.ts";
import type { RequestLog } from "./store/request-log.ts";
import type { PostgresSessions } from "./store/sessions.ts";
import type { UsageSeries } from "./store/usage-series.ts";

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
