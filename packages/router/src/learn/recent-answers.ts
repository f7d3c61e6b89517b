import type { DomainShare } from "@trunkline/core/prediction.ts";
import { type AnswerSample, MAX_SHARES } from "./outcomes.ts";

/** A later repetition is a new question. */
const REPEAT_WINDOW_MS = 10 * 60_000;
/** Answers are kept in groups, by the digest of their question. A new one takes the place of the oldest of its group. */
const GROUPS = 4_096;
const GROUP_SIZE = 8;
const PLACES = GROUPS * GROUP_SIZE;

/** An answer, and the weight it was credited with while there was no complaint. */
export interface CreditedAnswer {
  readonly answerSample: AnswerSample;
  readonly weight: number;
}

/**
 * The answers of the last minutes by the digest of their question, to detect repeated questions. Each field has one array, made
 * once: as objects, they were a third of what V8 looks through in a full collection, and nearly half of what made it due.
 */
export class RecentAnswers {
  readonly #prints = new Float64Array(PLACES);
  /** 0: the place is free. */
  readonly #answeredAt = new Float64Array(PLACES);
  readonly #weights = new Float64Array(PLACES);
  readonly #repeats = new Uint32Array(PLACES);
  readonly #priors = new Float64Array(PLACES);
  readonly #predictedQualities = new Float64Array(PLACES);
  readonly #propensities = new Float64Array(PLACES);
  readonly #lends = new Uint8Array(PLACES);
  readonly #accountIds = new Array<string>(PLACES).fill("");
  readonly #requestIds = new Array<string>(PLACES).fill("");
  readonly #models = new Array<string>(PLACES).fill("");
  readonly #domains = new Uint16Array(PLACES);
  readonly #countedSizes = new Uint8Array(PLACES);
  readonly #countedDomains = new Uint16Array(PLACES * MAX_SHARES);
  readonly #countedShares = new Float64Array(PLACES * MAX_SHARES);
  readonly #domainNames: string[] = [];

  /** How often the same question was asked shortly before this one, with answers given before it was asked. */
  repeatsOf(print: number, askedAt: number): number {
    const place = this.#findAnsweredBefore(print, askedAt);
    return place === -1 ? 0 : (this.#repeats[place] ?? 0) + 1;
  }

  /** Takes the answer to the same question that was given before this one was asked. */
  takeAnsweredBefore(print: number, askedAt: number): CreditedAnswer | undefined {
    const place = this.#findAnsweredBefore(print, askedAt);
    if (place === -1) return undefined;
    this.#answeredAt[place] = 0;
    return this.#read(place);
  }

  add(print: number, answerSample: AnswerSample, weight: number, repeats: number, answeredAt: number): void {
    const found = this.#find(print);
    const place = found === -1 ? this.#oldestOf(print) : found;
    this.#prints[place] = print;
    this.#answeredAt[place] = answeredAt;
    this.#weights[place] = weight;
    this.#repeats[place] = repeats;
    this.#priors[place] = answerSample.prior;
    this.#predictedQualities[place] = answerSample.predictedQuality;
    this.#propensities[place] = answerSample.propensity;
    this.#lends[place] = answerSample.lends ? 1 : 0;
    this.#accountIds[place] = answerSample.accountId;
    this.#requestIds[place] = answerSample.requestId;
    this.#models[place] = answerSample.model;
    this.#domains[place] = this.#indexOf(answerSample.domain);
    const { counted } = answerSample;
    this.#countedSizes[place] = counted.length;
    for (let index = 0; index < counted.length; index++) {
      const { domain, share } = counted[index] as DomainShare;
      this.#countedDomains[place * MAX_SHARES + index] = this.#indexOf(domain);
      this.#countedShares[place * MAX_SHARES + index] = share;
    }
  }

  #findAnsweredBefore(print: number, askedAt: number): number {
    const place = this.#find(print);
    const answeredAt = this.#answeredAt[place] ?? 0;
    return answeredAt > askedAt || askedAt - answeredAt > REPEAT_WINDOW_MS ? -1 : place;
  }

  #find(print: number): number {
    const start = (print % GROUPS) * GROUP_SIZE;
    for (let place = start; place < start + GROUP_SIZE; place++)
      if (this.#prints[place] === print && this.#answeredAt[place] !== 0) return place;
    return -1;
  }

  #oldestOf(print: number): number {
    const start = (print % GROUPS) * GROUP_SIZE;
    let oldest = start;
    for (let place = start + 1; place < start + GROUP_SIZE; place++)
      if ((this.#answeredAt[place] ?? 0) < (this.#answeredAt[oldest] ?? 0)) oldest = place;
    return oldest;
  }

  #read(place: number): CreditedAnswer {
    const counted: DomainShare[] = [];
    const start = place * MAX_SHARES;
    for (let index = start; index < start + (this.#countedSizes[place] ?? 0); index++) {
      const domain = this.#nameOf(this.#countedDomains[index]);
      counted.push({ domain, share: this.#countedShares[index] ?? 0 });
    }
    const answerSample: AnswerSample = {
      accountId: this.#accountIds[place] ?? "",
      requestId: this.#requestIds[place] ?? "",
      model: this.#models[place] ?? "",
      domain: this.#nameOf(this.#domains[place]),
      counted,
      prior: this.#priors[place] ?? 0,
      predictedQuality: this.#predictedQualities[place] ?? 0,
      propensity: this.#propensities[place] ?? 1,
      lends: this.#lends[place] === 1,
    };
    return { answerSample, weight: this.#weights[place] ?? 0 };
  }

  /** There are a few dozen domains. */
  #indexOf(domain: string): number {
    const index = this.#domainNames.indexOf(domain);
    return index === -1 ? this.#domainNames.push(domain) - 1 : index;
  }

  #nameOf(index = 0): string {
    return this.#domainNames[index] ?? "";
  }
}
