import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { beginningOf } from "@trunkline/core/whole-characters.ts";
import {
  type Comparison,
  isTooFarApart,
  type OwnModel,
  type ReconciliationTerms,
  type ReportStore,
  type Subject,
  type Tally,
} from "./reconciliation.ts";

/** What a provider says of its own use. */
export interface Report {
  /** Where it stands in what was sent, so that a refusal can name the field: nothing, or `reports[2].`. */
  readonly place: string;
  /** A name of its own, or `provider/name`; undefined: all of its models. */
  readonly model: string | undefined;
  /** An ISO date; undefined: all time. */
  readonly day: string | undefined;
  readonly reported: Tally;
}

const DAY_MS = 86_400_000;

/** Compares what providers count with what we count, and keeps what came of it. */
export class Reconciler {
  readonly #store: ReportStore;
  readonly #terms: ReconciliationTerms;
  readonly #clock: Clock;

  constructor(store: ReportStore, terms: ReconciliationTerms, clock: Clock) {
    this.#store = store;
    this.#terms = terms;
    this.#clock = clock;
  }

  /** Takes all of the reports, or none where one is refused. */
  async report(caller: Caller, reports: readonly Report[]): Promise<readonly Comparison[]> {
    const now = this.#clock.now();
    const own = await this.#store.modelsOf(caller.accountId);
    const subjects = reports.map((report): Subject => {
      refuseFuture(report, now);
      const model = report.model === undefined ? undefined : findOwn(own, caller, report.model, report.place);
      return { provider: model?.provider ?? caller.provider, model: model?.name, day: report.day };
    });
    refuseRepeated(reports, subjects);
    const counts = await this.#store.count(subjects);
    const comparisons = subjects.map((subject, index): Comparison => {
      const reported = reports[index]?.reported ?? NOTHING;
      const counted = counts[index] ?? NOTHING;
      const provisional = subject.day !== undefined && now < endOf(subject.day) + this.#terms.graceMs;
      const flagged =
        !provisional && isTooFarApart(reported, counted, this.#terms, judgesTokens(own, subject));
      return { ...subject, reported, counted, provisional, flagged };
    });
    await this.#store.keep(caller.accountId, comparisons);
    return comparisons;
  }

  /** The account's model of that name, also where it was withdrawn. */
  async findModel(caller: Caller, name: string): Promise<OwnModel> {
    return findOwn(await this.#store.modelsOf(caller.accountId), caller, name, "");
  }

  /** Every name under which the account has, or had, models. */
  async providersOf(caller: Caller): Promise<readonly string[]> {
    const own = await this.#store.modelsOf(caller.accountId);
    return [...new Set([caller.provider, ...own.map(({ provider }) => provider)])];
  }
}

const NOTHING: Tally = { requests: 0, tokens: 0 };

function endOf(day: string): number {
  return Date.parse(day) + DAY_MS;
}

/** The last days of a model that was withdrawn are reported after it is gone, so it is found all the same. */
function findOwn(own: readonly OwnModel[], caller: Caller, name: string, place: string): OwnModel {
  const model =
    own.find((known) => `${known.provider}/${known.name}` === name) ??
    own.find((known) => known.provider === caller.provider && known.name === name) ??
    own.find((known) => known.name === name);
  if (model !== undefined) return model;
  throw new Fault(
    "not_found",
    `You have no model "${beginningOf(name, 128)}". List yours with GET /v1/provider/models.`,
    { param: `${place}model` },
  );
}

function refuseFuture({ day, place }: Report, now: number): void {
  if (day === undefined || Date.parse(day) <= now) return;
  throw new Fault("invalid_request", `\`${place}day\` must not be in the future; days are those of UTC.`, {
    param: `${place}day`,
  });
}

function refuseRepeated(reports: readonly Report[], subjects: readonly Subject[]): void {
  const seen = new Set<string>();
  for (const [index, { provider, model, day }] of subjects.entries()) {
    const subject = JSON.stringify([provider, model, day]);
    if (seen.has(subject)) {
      const param = reports[index]?.place.replace(/\.$/, "") ?? "";
      throw new Fault("invalid_request", `\`${param}\` is of the same model and day as one before it.`, {
        param,
      });
    }
    seen.add(subject);
  }
}

/** Pictures and sound are not paid by the token: their providers may well count none. */
function judgesTokens(own: readonly OwnModel[], { provider, model }: Subject): boolean {
  const meant = own.filter((known) => known.provider === provider && (model ?? known.name) === known.name);
  return meant.length === 0 || meant.some(({ type }) => type !== "image" && type !== "audio");
}
