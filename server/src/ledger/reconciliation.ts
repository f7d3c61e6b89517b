import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { truncateText } from "@trunkline/core/code-points.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { ModelType } from "@trunkline/core/model.ts";

/** Requests, and the tokens of both directions together. */
export interface UsageCount {
  readonly requests: number;
  readonly tokens: number;
}

/** What a count is of. */
export interface UsageScope {
  readonly provider: string;
  /** undefined: all of the provider's models. */
  readonly model: string | undefined;
  /** A day of UTC as an ISO date; undefined: all time. */
  readonly day: string | undefined;
}

/** A provider's count beside ours, as both were when it came in. */
export interface UsageComparison extends UsageScope {
  readonly reported: UsageCount;
  readonly counted: UsageCount;
  /** The day was not over, so that neither count was final. */
  readonly provisional: boolean;
  /** The two are further apart than is allowed. */
  readonly flagged: boolean;
}

/** A model that an account registered, whether it still offers it or not. */
export interface OwnModel {
  readonly provider: string;
  readonly name: string;
  readonly type: ModelType;
}

export interface UsageReportStore {
  /** Those still offered first. */
  modelsOf(accountId: string): Promise<readonly OwnModel[]>;
  /** Our own counts, in the order of the subjects. */
  count(usageScopes: readonly UsageScope[]): Promise<readonly UsageCount[]>;
  save(accountId: string, usageComparisons: readonly UsageComparison[]): Promise<void>;
}

/** How far two counts may be apart. */
interface ReconciliationTerms {
  /** A part of our own count. */
  readonly threshold: number;
  /** Below as many requests on either side nothing is flagged: a few make a large part of little. */
  readonly minimumRequests: number;
  /** How long after its end a day counts as not over, as its last requests may still run. */
  readonly graceMs: number;
}

/** Whether a provider's count is too far from ours. */
export function exceedsThreshold(
  reported: UsageCount,
  counted: UsageCount,
  { threshold, minimumRequests }: ReconciliationTerms,
  judgesTokens: boolean,
): boolean {
  if (Math.max(reported.requests, counted.requests) < minimumRequests) return false;
  // Divided, not multiplied, so that a difference of just the threshold is on the right side of it. Where we counted
  // nothing, anything is infinitely more, and nothing is as good as equal.
  const isFar = (theirs: number, ours: number) => Math.abs(theirs - ours) / ours > threshold;
  return isFar(reported.requests, counted.requests) || (judgesTokens && isFar(reported.tokens, counted.tokens));
}

/** What a provider says of its own use. */
export interface UsageReport {
  /** Where it stands in what was sent, so that a refusal can name the field: nothing, or `reports[2].`. */
  readonly paramPrefix: string;
  /** A name of its own, or `provider/name`; undefined: all of its models. */
  readonly model: string | undefined;
  /** An ISO date; undefined: all time. */
  readonly day: string | undefined;
  readonly reported: UsageCount;
}

const DAY_MS = 86_400_000;

/** Compares what providers count with what we count, and keeps what came of it. */
export class Reconciler {
  readonly #store: UsageReportStore;
  readonly #terms: ReconciliationTerms;
  readonly #clock: Clock;

  constructor(store: UsageReportStore, terms: ReconciliationTerms, clock: Clock) {
    this.#store = store;
    this.#terms = terms;
    this.#clock = clock;
  }

  /** Takes all of the reports, or none where one is refused. */
  async report(caller: Caller, usageReports: readonly UsageReport[]): Promise<readonly UsageComparison[]> {
    const now = this.#clock.now();
    const own = await this.#store.modelsOf(caller.accountId);
    const usageScopes = usageReports.map((usageReport): UsageScope => {
      refuseFuture(usageReport, now);
      const model =
        usageReport.model === undefined
          ? undefined
          : findOwnModel(own, caller, usageReport.model, usageReport.paramPrefix);
      return { provider: model?.provider ?? caller.provider, model: model?.name, day: usageReport.day };
    });
    refuseRepeated(usageReports, usageScopes);
    const counts = await this.#store.count(usageScopes);
    const usageComparisons = usageScopes.map((usageScope, index): UsageComparison => {
      const reported = usageReports[index]?.reported ?? NO_USAGE;
      const counted = counts[index] ?? NO_USAGE;
      const provisional = usageScope.day !== undefined && now < endOfDay(usageScope.day) + this.#terms.graceMs;
      const flagged = !provisional && exceedsThreshold(reported, counted, this.#terms, comparesTokens(own, usageScope));
      return { ...usageScope, reported, counted, provisional, flagged };
    });
    await this.#store.save(caller.accountId, usageComparisons);
    return usageComparisons;
  }

  /** The account's model of that name, also where it was withdrawn. */
  async findModel(caller: Caller, name: string): Promise<OwnModel> {
    return findOwnModel(await this.#store.modelsOf(caller.accountId), caller, name, "");
  }

  /** Every name under which the account has, or had, models. */
  async providersOf(caller: Caller): Promise<readonly string[]> {
    const own = await this.#store.modelsOf(caller.accountId);
    return [...new Set([caller.provider, ...own.map(({ provider }) => provider)])];
  }
}

const NO_USAGE: UsageCount = { requests: 0, tokens: 0 };

function endOfDay(day: string): number {
  return Date.parse(day) + DAY_MS;
}

/** The last days of a model that was withdrawn are reported after it is gone, so it is found all the same. */
function findOwnModel(own: readonly OwnModel[], caller: Caller, name: string, place: string): OwnModel {
  const model =
    own.find((known) => `${known.provider}/${known.name}` === name) ??
    own.find((known) => known.provider === caller.provider && known.name === name) ??
    own.find((known) => known.name === name);
  if (model !== undefined) return model;
  throw new Fault(
    "not_found",
    `You have no model "${truncateText(name, 128)}". List yours with GET /v1/provider/models.`,
    { param: `${place}model` },
  );
}

function refuseFuture({ day, paramPrefix: place }: UsageReport, now: number): void {
  if (day === undefined || Date.parse(day) <= now) return;
  throw new Fault("invalid_request", `\`${place}day\` must not be in the future; days are those of UTC.`, {
    param: `${place}day`,
  });
}

function refuseRepeated(usageReports: readonly UsageReport[], usageScopes: readonly UsageScope[]): void {
  const seen = new Set<string>();
  for (const [index, { provider, model, day }] of usageScopes.entries()) {
    const subject = JSON.stringify([provider, model, day]);
    if (seen.has(subject)) {
      const param = usageReports[index]?.paramPrefix.replace(/\.$/, "") ?? "";
      throw new Fault("invalid_request", `\`${param}\` is of the same model and day as one before it.`, {
        param,
      });
    }
    seen.add(subject);
  }
}

/** Pictures and sound are not paid by the token: their providers may well count none. */
function comparesTokens(own: readonly OwnModel[], { provider, model }: UsageScope): boolean {
  const meant = own.filter((known) => known.provider === provider && (model ?? known.name) === known.name);
  return meant.length === 0 || meant.some(({ type }) => type !== "image" && type !== "audio");
}
