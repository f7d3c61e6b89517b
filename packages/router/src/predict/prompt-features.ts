import type { Message } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { DomainShare } from "@trunkline/core/prediction.ts";
import { DOMAINS_BY_TASK_WORD, domainFromRequest, lastTextOf } from "./domains.ts";
import { ExtractedPromptFeatures, NO_LEANING, NUMBERS_PER_DOMAIN } from "./extracted-features.ts";
import { columnCountOf, type RouterWeights } from "./router-weights.ts";
import { type RowSums, rowSumsOf } from "./row-sums.ts";
import {
  createHashedFeatures,
  type HashedFeatures,
  hashTextFeatures,
  MAX_BUCKETS,
  NUMERIC_FEATURE_COUNT,
  SHAPE_FEATURE_COUNT,
  writeNumericFeatures,
  writeShapeBuckets,
} from "./text-features.ts";

/** The ease of a request whose text is not read, and the bounds of all others. */
const USUAL_EASE = 1.2;
const MIN_EASE = -3;
const MAX_EASE = 5.5;

/** The weight of the shape features beside the word features. */
export const SHAPE_WEIGHT = 0.15;

/** Less likely domains are left out, and at most this many are kept. */
const MIN_SHARE = 0.02;
const MAX_SHARES = 6;

/** How much the client's task word raises its domains, in log-odds. */
const TASK_WORD_LOG_ODDS = 2.5;

/** How far back a conversation is read: messages of any kind, and texts of the user. */
const MAX_MESSAGES = 64;
const MAX_TEXTS = 6;

/** A turn with this many words of its own counts half. One that refers to something earlier needs more of them. */
const HALF_WORDS = 2;
const HALF_REFERRING_WORDS = 4;
/** A turn with this many is judged by itself alone, and so is one with this many characters, so that few long texts are read. */
const WHOLE_WORDS = 8;
const WHOLE_CHARS = 400;
/** Earlier turns are not read for less than this part of the judgement. */
const MIN_PART = 0.1;
/** The system prompt is read if this part is left after the user's turns, and it has this many words of its own. */
const MIN_SYSTEM_PART = 0.55;
const MIN_SYSTEM_WORDS = 4;

const NO_INDEXES: readonly number[] = [];
/** Without holes, as V8 boxes each number that it reads from an array that may have some. */
const NO_NUMERIC_FEATURES: readonly number[] = Array.from({ length: NUMERIC_FEATURE_COUNT }, () => 0);

/** A turn of this length may be a pasted text with a request before or after it, in a line of its own that is no longer than the second figure. */
const PASTED_CHARS = 600;
const REQUEST_CHARS = 200;
/** How much the request counts beside the whole. */
const REQUEST_PART = 0.6;

/** The first and the last line of a text, where a paragraph follows or comes before it. A line that asks goes before one that does not. */
function requestsOf(text: string): readonly string[] {
  const head = text.slice(0, REQUEST_CHARS);
  const end = head.charCodeAt(0) === HASH ? -1 : head.indexOf("\n");
  const first = end > 1 && (asks(head, end) || head.charCodeAt(end + 1) === LINE_BREAK) ? head.slice(0, end) : "";
  if (first !== "" && asks(first, end)) return [first];
  const tail = text.slice(-REQUEST_CHARS);
  const start = tail.lastIndexOf("\n\n");
  const last = start < 0 ? "" : tail.slice(start + 2);
  if (first === "" || asks(last, last.length)) return last === "" ? NO_REQUESTS : [last];
  return last === "" ? [first] : [first, last];
}

/** Whether the line that ends there has a mark after which an answer or a text is expected. */
function asks(text: string, end: number): boolean {
  const mark = text.charCodeAt(end - 1);
  return mark === COLON || mark === QUESTION_MARK;
}

const NO_REQUESTS: readonly string[] = [];
const LINE_BREAK = 10;
const HASH = 35;
const COLON = 58;
const QUESTION_MARK = 63;

/** Extracts the domain and the difficulty of a request. */
export class PromptFeatureExtractor {
  /** The rows of the words come first, then those of the shape. */
  private readonly rowSums: RowSums;
  private readonly hashedFeatures: HashedFeatures;
  private readonly shape: Uint16Array;
  private readonly figures = [...NO_NUMERIC_FEATURES];
  private readonly figuresOfText = [...NO_NUMERIC_FEATURES];
  private readonly sums: Float64Array;
  private readonly sumsOfText: Float64Array;
  /** By domain: its chance. */
  private readonly chances: Float64Array;
  private readonly chancesOfText: Float64Array;
  /** The indices of the likeliest domains; the last place is for one that is not among them. */
  private readonly likeliest = new Uint16Array(MAX_SHARES + 1);
  /** Of these: what the features have of each. */
  private readonly leanings = Array.from({ length: MAX_SHARES * NUMBERS_PER_DOMAIN }, () => Number.NaN);
  private readonly indexOfDomain: ReadonlyMap<string, number>;
  private readonly indexesOfTask: ReadonlyMap<string, readonly number[]>;
  /** The domains that the task of this request makes likelier. */
  private likelier: readonly number[] = NO_INDEXES;
  private readonly familyOfDomain: ReadonlyMap<string, string>;
  /** By domain: the column of its family's difficulty; -1: none. */
  private readonly difficultyColumn: Int32Array;
  private readonly weights: RouterWeights;
  /** The features of requests whose domain follows from their form: one for each of a few names. */
  private readonly certain = new Map<string | undefined, ExtractedPromptFeatures>();

  constructor(routerWeights: RouterWeights) {
    const { domains, families } = routerWeights;
    this.weights = routerWeights;
    const columns = columnCountOf(routerWeights);
    this.rowSums = rowSumsOf(routerWeights.table, columns, MAX_BUCKETS + SHAPE_FEATURE_COUNT);
    this.hashedFeatures = createHashedFeatures(this.rowSums.rows.subarray(0, MAX_BUCKETS));
    this.shape = this.rowSums.rows.subarray(MAX_BUCKETS, MAX_BUCKETS + SHAPE_FEATURE_COUNT);
    this.sums = new Float64Array(columns);
    this.sumsOfText = new Float64Array(columns);
    this.chances = new Float64Array(domains.length);
    this.chancesOfText = new Float64Array(domains.length);
    this.indexOfDomain = new Map(domains.map(({ name }, at) => [name, at]));
    this.indexesOfTask = new Map(
      [...DOMAINS_BY_TASK_WORD].map(([word, names]) => [
        word,
        names.flatMap((name) => this.indexOfDomain.get(name) ?? []),
      ]),
    );
    this.familyOfDomain = new Map(domains.map(({ name, family }) => [name, family]));
    this.difficultyColumn = Int32Array.from(domains, ({ family }) => {
      const at = families.indexOf(family);
      return at < 0 ? -1 : domains.length + at;
    });
  }

  /** `coldDomains`: by the index of a domain, whether too few models of the pool have outcomes there. */
  extract(inference: Inference, coldDomains: readonly boolean[]): ExtractedPromptFeatures {
    const evident = domainFromRequest(inference);
    if (evident !== undefined) return this.certainFeatures(evident);
    this.likelier = this.indexesOfTask.get(inference.task.word) ?? NO_INDEXES;
    if (!this.readConversation(inference.conversation.messages)) return this.certainFeatures(undefined);
    return this.buildFeatures(coldDomains);
  }

  /** The features of a request with one certain domain, or with none. */
  private certainFeatures(domain: string | undefined): ExtractedPromptFeatures {
    const known = this.certain.get(domain);
    if (known !== undefined) return known;
    const shares: DomainShare[] = domain === undefined ? [] : [{ domain, share: 1 }];
    const at = domain === undefined ? undefined : this.indexOfDomain.get(domain);
    const features = new ExtractedPromptFeatures(
      shares,
      at === undefined ? NO_LEANING : [at, 0, 0, 0],
      USUAL_EASE,
      NO_NUMERIC_FEATURES,
      this.familyOfDomain,
    );
    this.certain.set(domain, features);
    return features;
  }

  /**
   * Sums the weights of what the user wants. A turn that only carries on, such as "yes, go on", is judged by those before
   * it, and where no turn says anything, by the system prompt. Returns whether there is any text.
   */
  private readConversation(messages: readonly Message[]): boolean {
    this.sums.fill(0);
    this.chances.fill(0);
    this.figures.fill(0);
    const { counters: counts } = this.hashedFeatures;
    const first = Math.max(0, messages.length - MAX_MESSAGES);
    let left = 1;
    let texts = 0;
    let last = "";
    for (let at = messages.length - 1; at >= first && left > MIN_PART && texts < MAX_TEXTS; at--) {
      const message = messages[at];
      const text = message?.role === "user" ? lastTextOf(message) : "";
      if (text === "") continue;
      hashTextFeatures(text, this.hashedFeatures);
      if ((counts[1] ?? 0) === 0 && (counts[2] ?? 0) === 0) continue;
      texts++;
      if (last === "") last = text;
      const part = at === 0 ? 1 : this.partOfItsOwn();
      this.addTurn(text, left * part);
      left *= 1 - part;
    }
    const [opening] = messages;
    if (left > MIN_SYSTEM_PART && (opening?.role === "system" || opening?.role === "developer")) {
      hashTextFeatures(lastTextOf(opening), this.hashedFeatures);
      const words = counts[17] ?? 0;
      if (words >= MIN_SYSTEM_WORDS) {
        const part = words / (words + HALF_WORDS);
        this.addText(left * part);
        left *= 1 - part;
      }
    }
    if (left === 0) return true;
    if (left < 1) this.scaleSums(1 / (1 - left));
    else if (last !== "") {
      hashTextFeatures(last, this.hashedFeatures);
      this.addTurn(last, 1);
    } else return false;
    return true;
  }

  /** The part of a turn's judgement that follows from its own text; the rest follows from the turns before. */
  private partOfItsOwn(): number {
    const { counters: counts } = this.hashedFeatures;
    const words = counts[17] ?? 0;
    if (words >= WHOLE_WORDS || this.hashedFeatures.length >= WHOLE_CHARS) return 1;
    return words / (words + ((counts[18] ?? 0) > 0 ? HALF_REFERRING_WORDS : HALF_WORDS));
  }

  /** Adds this part of a turn, whose text was hashed last. What is asked of a pasted text counts more than that text. */
  private addTurn(text: string, part: number): void {
    const { counters: counts } = this.hashedFeatures;
    // Lettered options belong to the question, which is then no pasted text.
    const requests = text.length < PASTED_CHARS || (counts[7] ?? 0) > 0 ? NO_REQUESTS : requestsOf(text);
    if (requests.length === 0) {
      this.addText(part);
      return;
    }
    this.addText(part * (1 - REQUEST_PART));
    for (const request of requests) {
      hashTextFeatures(request, this.hashedFeatures);
      this.addText((part * REQUEST_PART) / requests.length);
    }
  }

  /** Adds this part of the weights of the text that was hashed last. */
  private addText(part: number): void {
    if (part === 0) return;
    const { rowSums, sums, sumsOfText, figures, figuresOfText, hashedFeatures } = this;
    const { scales } = this.weights;
    writeShapeBuckets(hashedFeatures, this.shape);
    writeNumericFeatures(hashedFeatures, figuresOfText);
    for (let at = 0; at < figures.length; at++) figures[at] = (figures[at] ?? 0) + part * (figuresOfText[at] ?? 0);
    const wordWeight = 1 / Math.sqrt(hashedFeatures.size + 1);
    const ofWords = rowSums.sum(0, hashedFeatures.size);
    for (let column = 0; column < sums.length; column++) sumsOfText[column] = (ofWords[column] ?? 0) * wordWeight;
    const ofShape = rowSums.sum(MAX_BUCKETS, MAX_BUCKETS + SHAPE_FEATURE_COUNT);
    for (let column = 0; column < sums.length; column++) {
      const whole = ((sumsOfText[column] ?? 0) + SHAPE_WEIGHT * (ofShape[column] ?? 0)) * (scales[column] ?? 0);
      sumsOfText[column] = whole;
      sums[column] = (sums[column] ?? 0) + part * whole;
    }
    this.addChances(part);
  }

  /** Adds this part of the text's chances, and not of its sums: those of a long text would decide beside a short one. */
  private addChances(part: number): void {
    const { chances, chancesOfText, sumsOfText } = this;
    for (const at of this.likelier) sumsOfText[at] = (sumsOfText[at] ?? 0) + TASK_WORD_LOG_ODDS;
    let highest = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < chances.length; at++) {
      const sum = sumsOfText[at] ?? 0;
      if (sum > highest) highest = sum;
    }
    let whole = 0;
    for (let at = 0; at < chances.length; at++) {
      const chance = Math.exp((sumsOfText[at] ?? 0) - highest);
      chancesOfText[at] = chance;
      whole += chance;
    }
    for (let at = 0; at < chances.length; at++)
      chances[at] = (chances[at] ?? 0) + (part / whole) * (chancesOfText[at] ?? 0);
  }

  private scaleSums(factor: number): void {
    const { chances, sums, figures } = this;
    for (let at = 0; at < chances.length; at++) chances[at] = (chances[at] ?? 0) * factor;
    for (let column = 0; column < sums.length; column++) sums[column] = (sums[column] ?? 0) * factor;
    for (let at = 0; at < figures.length; at++) figures[at] = (figures[at] ?? 0) * factor;
  }

  private buildFeatures(coldDomains: readonly boolean[]): ExtractedPromptFeatures {
    const { domains } = this.weights;
    const { chances, sums } = this;
    const likeliest = this.findLikeliest();
    // Of this size from the start: a list that grows takes several times the room.
    const shares = new Array<DomainShare>(likeliest);
    for (let place = 0; place < likeliest; place++) {
      const at = this.likeliest[place] ?? 0;
      const share = chances[at] ?? 0;
      this.writeLeaning(place * NUMBERS_PER_DOMAIN, at, coldDomains[at] === true);
      shares[place] = { domain: domains[at]?.name ?? "", share };
    }
    const ease = Math.min(MAX_EASE, Math.max(MIN_EASE, sums[sums.length - 1] ?? USUAL_EASE));
    const leanings = this.leanings.slice(0, likeliest * NUMBERS_PER_DOMAIN);
    return new ExtractedPromptFeatures(shares, leanings, ease, this.figures.slice(), this.familyOfDomain);
  }

  /** Writes the likeliest domains, the most likely first. Returns how many there are. */
  private findLikeliest(): number {
    const { chances, likeliest } = this;
    let count = 0;
    for (let at = 0; at < chances.length; at++) {
      const chance = chances[at] ?? 0;
      if (chance < MIN_SHARE) continue;
      let place = count < MAX_SHARES ? count++ : MAX_SHARES;
      for (; place > 0; place--) {
        const before = likeliest[place - 1] ?? 0;
        if ((chances[before] ?? 0) >= chance) break;
        likeliest[place] = before;
      }
      likeliest[place] = at;
    }
    return count;
  }

  /** Writes the numbers of the domain at an index of the weights from `to` on. */
  private writeLeaning(to: number, at: number, isCold: boolean): void {
    const { weights: routerWeights, figures, difficultyColumn: hardness, sums, leanings } = this;
    const column = hardness[at] ?? -1;
    leanings[to] = at;
    leanings[to + 1] = 0;
    leanings[to + 2] = 0;
    leanings[to + 3] = isCold ? 1 : 0;
    if (column < 0) return;
    let ease = sums[column] ?? 0;
    let parting = 0;
    const start = at * 2 * NUMERIC_FEATURE_COUNT;
    for (let figure = 0; figure < NUMERIC_FEATURE_COUNT; figure++) {
      const value = figures[figure] ?? 0;
      ease += value * (routerWeights.figures[start + figure] ?? 0);
      parting += value * (routerWeights.figures[start + NUMERIC_FEATURE_COUNT + figure] ?? 0);
    }
    leanings[to + 1] = ease;
    leanings[to + 2] = parting;
  }
}
