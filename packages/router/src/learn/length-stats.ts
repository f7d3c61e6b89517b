import { DecayingSum, type LearningBatch, type LengthKey, type LengthRow, toSumChange } from "./learning-store.ts";

/** Three answers before their length is believed; their weight is a little less, as the first of them were forgotten a little. */
const MIN_WEIGHT = 2.9;
/** An answer counts as at most this many times as long, or as short, as usual: one odd request changes little. */
const OUTLIER_FACTOR = 4;
/** Above the logarithm of any count. */
const MAX_LOG = 40;
/** More than all models of a large catalogue come to. */
const MAX_ENTRIES = 100_000;
/** So many of a model's own answers weigh as much as what is usual for the work. */
const PRIOR_WEIGHT = 5;
/** A model's answers are taken for at most so many times as long, or as short, as is usual for the work: nobody is chosen for a length that can't be. */
const MAX_LOG_DISTANCE = Math.log(4);
/** Of whatever model, or whatever domain. */
const ANY = "";

/** How long the answers of a model usually are, by what they were asked for. Counted over all accounts. */
export class LengthStats {
  /** By task, domain and model, as one request asks for many models. */
  readonly #byTask = new Map<string, Map<string, Map<string, DecayingSum>>>();
  readonly #pending = new Map<DecayingSum, LengthKey>();
  #size = 0;

  /**
   * In tokens: what is usual for this work, moved towards what is usual for this model with every answer of its own. So
   * models of which much is known and models of which nothing is known can be compared. undefined: nothing is known yet.
   */
  forWork(task: string, domain: string): (model: string) => number | undefined {
    const [inDomain, inTask] = [this.#sumsFor(task, domain), this.#sumsFor(task, ANY)];
    const usual = meanOf(inDomain?.get(ANY)) ?? meanOf(inTask?.get(ANY));
    if (usual === undefined) return () => undefined;
    const usualTokens = Math.round(Math.exp(usual));
    return (model) => {
      const own = inDomain?.get(model) ?? inTask?.get(model);
      if (own === undefined) return usualTokens;
      const log = (own.surplus + usual * PRIOR_WEIGHT) / (own.weight + PRIOR_WEIGHT);
      return Math.round(Math.exp(clampToUsual(usual, log)));
    };
  }

  /**
   * An answer that was cut off would have been longer: it counts only where it is longer than usual already. Where who
   * asked has had its say, `mayCount` says no.
   */
  record(
    model: string,
    task: string,
    domain: string,
    tokens: number,
    isCutOff: boolean,
    mayCount: (key: LengthKey) => boolean = () => true,
  ): void {
    if (!(tokens > 0) || !Number.isFinite(tokens)) return;
    const log = Math.log(tokens);
    for (const who of [model, ANY])
      for (const where of domain === ANY ? [ANY] : [domain, ANY]) {
        const key = { model: who, task, domain: where };
        if (mayCount(key)) this.#recordFor(key, log, isCutOff);
      }
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
    for (const row of rows) this.#sumOf(row)?.reset(row);
  }

  #recordFor(key: LengthKey, log: number, isCutOff: boolean): void {
    const sum = this.#sumOf(key);
    if (sum === undefined) return;
    const usual = meanOf(sum);
    if (isCutOff && usual !== undefined && log < usual) return;
    const odd = Math.log(OUTLIER_FACTOR);
    const counted = usual === undefined ? log : Math.max(usual - odd, Math.min(log, usual + odd));
    sum.add({ steps: 1, weight: 1, surplus: counted });
    this.#pending.set(sum, key);
  }

  #sumOf({ model, task, domain }: LengthKey): DecayingSum | undefined {
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
    const sum = new DecayingSum(MAX_LOG);
    byModel.set(model, sum);
    this.#size++;
    return sum;
  }

  #sumsFor(task: string, domain: string): ReadonlyMap<string, DecayingSum> | undefined {
    return this.#byTask.get(task)?.get(domain);
  }
}

function meanOf(sum: DecayingSum | undefined): number | undefined {
  return sum === undefined || sum.weight < MIN_WEIGHT ? undefined : sum.surplus / sum.weight;
}

function clampToUsual(usual: number, log: number): number {
  return Math.max(usual - MAX_LOG_DISTANCE, Math.min(log, usual + MAX_LOG_DISTANCE));
}

const WINDOW_MS = 3_600_000;
/** So many answers of one account within an hour say how long answers are to such work; more of the same say nothing new. */
const MAX_PER_WINDOW = 20;
/** Far more than accounts ask for in an hour. Beyond it those who were not heard yet have to wait. */
const MAX_COUNTS = 200_000;

/** Gives every account the same say in how long answers usually are, however much it asks. */
export class LengthQuota {
  readonly #maxCounts: number;
  #counts = new Map<string, number>();
  #sinceMs = Number.NEGATIVE_INFINITY;

  constructor(mostCounts = MAX_COUNTS) {
    this.#maxCounts = mostCounts;
  }

  /** Whether one more answer of this account counts for this sum. Asking takes it. */
  take(accountId: string, { model, task, domain }: LengthKey, nowMs: number): boolean {
    if (nowMs - this.#sinceMs >= WINDOW_MS) {
      this.#counts = new Map();
      this.#sinceMs = nowMs;
    }
    const key = `${accountId}\n${model}\n${task}\n${domain}`;
    const count = this.#counts.get(key);
    if (count === undefined ? this.#counts.size >= this.#maxCounts : count >= MAX_PER_WINDOW) return false;
    this.#counts.set(key, (count ?? 0) + 1);
    return true;
  }
}
