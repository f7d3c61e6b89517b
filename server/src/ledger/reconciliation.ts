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

/** The model and day of a count. */
export interface UsageScope {
  readonly provider: string;
  /** undefined: all of the provider's models. */
  readonly model: string | undefined;
  /** A day of UTC as an ISO date; undefined: all time. */
  readonly day: string | undefined;
}

/** A provider's count and ours, at the time of the report. */
export interface UsageComparison extends UsageScope {
  readonly reported: UsageCount;
  readonly counted: UsageCount;
  /** The day was not over, so neither count was final. */
  readonly provisional: boolean;
  /** The counts differ by more than the threshold. */
  readonly flagged: boolean;
}

/** A model that an account registered, including withdrawn ones. */
export interface OwnModel {
  readonly provider: string;
  readonly name: string;
  readonly type: ModelType;
}

export interface UsageReportStore {
  /** Models still on offer come first. */
  modelsOf(accountId: string): Promise<readonly OwnModel[]>;
  /** Our own counts, in the order of the scopes. */
  count(usageScopes: readonly UsageScope[]): Promise<readonly UsageCount[]>;
  save(accountId: string, usageComparisons: readonly UsageComparison[]): Promise<void>;
}

/** How far two counts may differ. */
interface ReconciliationTerms {
  /** A fraction of our own count. */
  readonly threshold: number;
  /** Nothing is flagged where both counts have fewer requests: there a few make a large fraction. */
  readonly minimumRequests: number;
  /** How long after its end a day is still provisional, as its last requests may still run. */
  readonly graceMs: number;
}

/** Whether a provider's count differs from ours by more than the threshold. */
export function exceedsThreshold(
  reported: UsageCount,
  counted: UsageCount,
  { threshold, minimumRequests }: ReconciliationTerms,
  comparesTokens: boolean,
): boolean {
  if (Math.max(reported.requests, counted.requests) < minimumRequests) return false;
  // Divided, not multiplied, so that a difference of exactly the threshold does not exceed it. Where we counted nothing,
  // any positive count is infinitely far, and 0 / 0 is NaN, which exceeds nothing.
  const isFar = (theirs: number, ours: number) => Math.abs(theirs - ours) / ours > threshold;
  return isFar(reported.requests, counted.requests) || (comparesTokens && isFar(reported.tokens, counted.tokens));
}

/** A provider's own count of its usage. */
export interface UsageReport {
  /** Its place in the body, so that a fault can name the field: empty, or `reports[2].`. */
  readonly paramPrefix: string;
  /** A name of its own, or `provider/name`; undefined: all of its models. */
  readonly model: string | undefined;
  /** An ISO date; undefined: all time. */
  readonly day: string | undefined;
  readonly reported: UsageCount;
}

const DAY_MS = 86_400_000;

/** Compares providers' counts with ours, and stores the comparisons. */
export class Reconciler {
  readonly #store: UsageReportStore;
  readonly #terms: ReconciliationTerms;
  readonly #clock: Clock;

  constructor(store: UsageReportStore, terms: ReconciliationTerms, clock: Clock) {
    this.#store = store;
    this.#terms = terms;
    this.#clock = clock;
  }

  /** Accepts all reports, or none where one is refused. */
  async report(caller: Caller, usageReports: readonly UsageReport[]): Promise<readonly UsageComparison[]> {
    const now = this.#clock.now();
    const ownModels = await this.#store.modelsOf(caller.accountId);
    const usageScopes = usageReports.map((usageReport): UsageScope => {
      refuseFuture(usageReport, now);
      const model =
        usageReport.model === undefined
          ? undefined
          : findOwnModel(ownModels, caller, usageReport.model, usageReport.paramPrefix);
      return { provider: model?.provider ?? caller.provider, model: model?.name, day: usageReport.day };
    });
    refuseRepeated(usageReports, usageScopes);
    const counts = await this.#store.count(usageScopes);
    const usageComparisons = usageScopes.map((usageScope, index): UsageComparison => {
      const reported = usageReports[index]?.reported ?? NO_USAGE;
      const counted = counts[index] ?? NO_USAGE;
      const provisional = usageScope.day !== undefined && now < endOfDay(usageScope.day) + this.#terms.graceMs;
      const flagged =
        !provisional && exceedsThreshold(reported, counted, this.#terms, isPaidByToken(ownModels, usageScope));
      return { ...usageScope, reported, counted, provisional, flagged };
    });
    await this.#store.save(caller.accountId, usageComparisons);
    return usageComparisons;
  }

  /** The account's model of that name, even if it was withdrawn. */
  async findModel(caller: Caller, name: string): Promise<OwnModel> {
    return findOwnModel(await this.#store.modelsOf(caller.accountId), caller, name, "");
  }

  /** Every provider name under which the account has or had models. */
  async providersOf(caller: Caller): Promise<readonly string[]> {
    const ownModels = await this.#store.modelsOf(caller.accountId);
    return [...new Set([caller.provider, ...ownModels.map(({ provider }) => provider)])];
  }
}

const NO_USAGE: UsageCount = { requests: 0, tokens: 0 };

function endOfDay(day: string): number {
  return Date.parse(day) + DAY_MS;
}

/** Also finds withdrawn models: their last days are reported after the withdrawal. */
function findOwnModel(models: readonly OwnModel[], caller: Caller, name: string, paramPrefix: string): OwnModel {
  const model =
    models.find((known) => `${known.provider}/${known.name}` === name) ??
    models.find((known) => known.provider === caller.provider && known.name === name) ??
    models.find((known) => known.name === name);
  if (model !== undefined) return model;
  throw new Fault(
    "not_found",
    `You have no model "${truncateText(name, 128)}". List yours with GET /v1/provider/models.`,
    { param: `${paramPrefix}model` },
  );
}

function refuseFuture({ day, paramPrefix }: UsageReport, now: number): void {
  if (day === undefined || Date.parse(day) <= now) return;
  throw new Fault("invalid_request", `\`${paramPrefix}day\` must not be in the future; days are those of UTC.`, {
    param: `${paramPrefix}day`,
  });
}

function refuseRepeated(usageReports: readonly UsageReport[], usageScopes: readonly UsageScope[]): void {
  const seen = new Set<string>();
  for (const [index, { provider, model, day }] of usageScopes.entries()) {
    const scope = JSON.stringify([provider, model, day]);
    if (seen.has(scope)) {
      const param = usageReports[index]?.paramPrefix.replace(/\.$/, "") ?? "";
      throw new Fault("invalid_request", `\`${param}\` is of the same model and day as one before it.`, {
        param,
      });
    }
    seen.add(scope);
  }
}

/** Images and audio are not paid by the token, so their providers may count none. */
function isPaidByToken(ownModels: readonly OwnModel[], { provider, model }: UsageScope): boolean {
  const inScope = ownModels.filter((known) => known.provider === provider && (model ?? known.name) === known.name);
  return inScope.length === 0 || inScope.some(({ type }) => type !== "image" && type !== "audio");
}
