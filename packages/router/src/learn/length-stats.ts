import type { OutcomeTally } from "@trunkline/core/prediction.ts";
import {
  DecayingSum,
  type LearningBatch,
  type LengthKey,
  type LengthRow,
  type SumIncrement,
  toSumChange,
} from "./learning-store.ts";

/** Three answers are needed; their weight is a little less, because the first ones decayed. */
const MIN_WEIGHT = 2.9;
/** The largest factor to the usual length with which an answer counts, so that one extreme answer changes little. */
const OUTLIER_FACTOR = 4;
/** Above the logarithm of any token count. */
const MAX_LOG = 40;
/** More than a large catalogue needs. */
const MAX_ENTRIES = 100_000;
/** How many of a model's own answers weigh as much as the usual length of the work. */
const PRIOR_WEIGHT = 5;
/** The largest factor between a model's length and the usual one, so that no model is chosen for an impossible length. */
const MAX_LOG_DISTANCE = Math.log(4);
/** All models, or all domains. */
const ANY = "";

/** Whether one more answer counts for the sum of these. */
type MayCount = (model: string, task: string, domain: string) => boolean;

/** The sum of the logarithms of some answers' lengths. */
class LengthSum extends DecayingSum {
  /** The tokens that were computed last, and for which usual length: only a few answers of each account count, and change them. */
  #tokens = 0;
  #tokensBeside = Number.NaN;

  constructor() {
    super(MAX_LOG);
  }

  override add(increment: SumIncrement): void {
    super.add(increment);
    this.#tokensBeside = Number.NaN;
  }

  override reset(tally: OutcomeTally): void {
    super.reset(tally);
    this.#tokensBeside = Number.NaN;
  }

  /** The length in tokens that approaches this sum's own from the logarithm of the usual one. */
  tokensBeside(usual: number): number {
    if (this.#tokensBeside !== usual) {
      const log = (this.surplus + usual * PRIOR_WEIGHT) / (this.weight + PRIOR_WEIGHT);
      this.#tokens = Math.round(Math.exp(clampToUsual(usual, log)));
      this.#tokensBeside = usual;
    }
    return this.#tokens;
  }
}

/** The usual length of a model's answers, by task and domain, over all accounts. */
export class LengthStats {
  /** By task, domain and model, because one request reads many models. */
  readonly #byTask = new Map<string, Map<string, Map<string, LengthSum>>>();
  readonly #pending = new Map<LengthSum, LengthKey>();
  #size = 0;

  /**
   * In tokens: the usual length of this work, which approaches the model's own with every answer. So models with many
   * and with no answers can be compared. undefined: unknown.
   */
  forWork(task: string, domain: string): (model: string) => number | undefined {
    const [inDomain, inTask] = [this.#sumsFor(task, domain), this.#sumsFor(task, ANY)];
    const usual = meanOf(inDomain?.get(ANY)) ?? meanOf(inTask?.get(ANY));
    if (usual === undefined) return () => undefined;
    const usualTokens = Math.round(Math.exp(usual));
    return (model) => {
      const own = inDomain?.get(model) ?? inTask?.get(model);
      return own === undefined ? usualTokens : own.tokensBeside(usual);
    };
  }

  /**
   * A truncated answer would have been longer, so it counts only if it is longer than usual. `mayCount` is false when the
   * account's quota is used up.
   */
  record(
    model: string,
    task: string,
    domain: string,
    tokens: number,
    isCutOff: boolean,
    mayCount: MayCount = () => true,
  ): void {
    if (!(tokens > 0) || !Number.isFinite(tokens)) return;
    const log = Math.log(tokens);
    if (mayCount(model, task, domain)) this.#recordFor(model, task, domain, log, isCutOff);
    if (domain !== ANY && mayCount(model, task, ANY)) this.#recordFor(model, task, ANY, log, isCutOff);
    if (mayCount(ANY, task, domain)) this.#recordFor(ANY, task, domain, log, isCutOff);
    if (domain !== ANY && mayCount(ANY, task, ANY)) this.#recordFor(ANY, task, ANY, log, isCutOff);
  }

  takePending(): { readonly changes: LearningBatch["lengths"]; putBack(): void } {
    const leaving = Array.from(this.#pending, ([sum, key]) => ({ sum, key, added: sum.takePending() }));
    this.#pending.clear();
    return {
      changes: leaving.map(({ key, added }) => ({ ...key, ...toSumChange(added) })),
      putBack: () => {
        for (const { sum, key, added } of leaving) {
          sum.putBack(added);
          this.#pending.set(sum, key);
        }
      },
    };
  }

  load(rows: readonly LengthRow[]): void {
    for (const row of rows) this.#sumOf(row.model, row.task, row.domain)?.reset(row);
  }

  #recordFor(model: string, task: string, domain: string, log: number, isCutOff: boolean): void {
    const sum = this.#sumOf(model, task, domain);
    if (sum === undefined) return;
    const usual = meanOf(sum);
    if (isCutOff && usual !== undefined && log < usual) return;
    const odd = Math.log(OUTLIER_FACTOR);
    const counted = usual === undefined ? log : Math.max(usual - odd, Math.min(log, usual + odd));
    sum.add({ steps: 1, weight: 1, surplus: counted });
    if (!this.#pending.has(sum)) this.#pending.set(sum, { model, task, domain });
  }

  #sumOf(model: string, task: string, domain: string): LengthSum | undefined {
    let byDomain = this.#byTask.get(task);
    if (byDomain === undefined) {
      byDomain = new Map();
      this.#byTask.set(task, byDomain);
    }
    let byModel = byDomain.get(domain);
    if (byModel === undefined) {
      byModel = new Map();
      byDomain.set(domain, byModel);
    }
    const known = byModel.get(model);
    if (known !== undefined || this.#size >= MAX_ENTRIES) return known;
    const sum = new LengthSum();
    byModel.set(model, sum);
    this.#size++;
    return sum;
  }

  #sumsFor(task: string, domain: string): ReadonlyMap<string, LengthSum> | undefined {
    return this.#byTask.get(task)?.get(domain);
  }
}

function meanOf(sum: LengthSum | undefined): number | undefined {
  return sum === undefined || sum.weight < MIN_WEIGHT ? undefined : sum.surplus / sum.weight;
}

function clampToUsual(usual: number, log: number): number {
  return Math.max(usual - MAX_LOG_DISTANCE, Math.min(log, usual + MAX_LOG_DISTANCE));
}

const WINDOW_MS = 3_600_000;
/** How many answers of one account count per hour and kind of work. */
const MAX_PER_WINDOW = 20;
/** More than the accounts of an hour need. Beyond it, further accounts wait for the next hour. */
const MAX_COUNTS = 200_000;

/** Limits the influence of one account on the usual lengths. */
export class LengthQuota {
  readonly #maxCounts: number;
  /** By account, model, task and domain: looked up for every answer, so that joined texts would cost more. */
  #counts: CountsByAccount = new Map();
  #size = 0;
  #sinceMs = Number.NEGATIVE_INFINITY;

  constructor(mostCounts = MAX_COUNTS) {
    this.#maxCounts = mostCounts;
  }

  /** Whether one more answer of this account counts for this sum. A call uses one up. */
  take(accountId: string, model: string, task: string, domain: string, nowMs: number): boolean {
    if (nowMs - this.#sinceMs >= WINDOW_MS) {
      this.#counts = new Map();
      this.#size = 0;
      this.#sinceMs = nowMs;
    }
    const known = this.#counts.get(accountId)?.get(model)?.get(task)?.get(domain);
    if (known !== undefined) {
      if (known.count >= MAX_PER_WINDOW) return false;
      known.count++;
      return true;
    }
    if (this.#size >= this.#maxCounts) return false;
    this.#size++;
    const byModel = getOrAdd(this.#counts, accountId);
    const byTask = getOrAdd(byModel, model);
    getOrAdd(byTask, task).set(domain, { count: 1 });
    return true;
  }
}

type CountsByDomain = Map<string, { count: number }>;
type CountsByTask = Map<string, CountsByDomain>;
type CountsByModel = Map<string, CountsByTask>;
type CountsByAccount = Map<string, CountsByModel>;

function getOrAdd<Value>(map: Map<string, Map<string, Value>>, key: string): Map<string, Value> {
  let found = map.get(key);
  if (found === undefined) {
    found = new Map();
    map.set(key, found);
  }
  return found;
}
