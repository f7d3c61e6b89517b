import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { cosineSimilarity } from "@trunkline/core/embed-text.ts";
import type { CacheOptions, Inference } from "@trunkline/core/inference.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { Part, Receipt } from "@trunkline/core/parts.ts";
import type { CacheHit, CacheOutcome } from "@trunkline/core/request-trace.ts";
import type { Candidate, Route } from "@trunkline/core/route.ts";
import {
  type CachedAnswer,
  type CachedAnswerStore,
  type Fingerprint,
  MemoryCache,
  type TextFingerprint,
} from "./cached-answer.ts";
import { fingerprintOf } from "./fingerprint.ts";

/** What the cache is set up with. */
interface AnswerCacheDependencies {
  readonly store: CachedAnswerStore;
  readonly clock: Clock;
  /** For work that no request waits for. */
  readonly track: (work: Promise<unknown>) => void;
  /** Told of every trouble with the store: a request that meets it is simply answered anew. */
  readonly onError: (error: unknown) => void;
}

const MEMORY_BYTES = 32 * 1024 * 1024;
/** With how many questions of the same surroundings one is compared at most, the newest first. */
const COMPARED_MAX = 2_000;

/** Answers that were given before, for those who asked that they be given again. Each account has its own. */
export class AnswerCache {
  readonly #parts: AnswerCacheDependencies;
  readonly #memory = new MemoryCache(MEMORY_BYTES);

  constructor(parts: AnswerCacheDependencies) {
    this.#parts = parts;
  }

  /** Looks for an answer to a request that has been let in, routed and judged. undefined where nobody asked for that. */
  async lookUp(caller: Caller, inference: Inference, route: Route): Promise<CacheLookup | undefined> {
    const wish = inference.cache ?? caller.cache;
    if (wish === undefined || wish === false) return undefined;
    const fingerprint = fingerprintOf(inference, route, wish.similarity !== undefined);
    const cachedHit = await this.#find(caller.accountId, fingerprint, wish, route).catch((error: unknown) => {
      this.#parts.onError(error);
      return undefined;
    });
    return new CacheLookup(cachedHit, this.#parts.clock.now(), wish.ttlSeconds, (answer, bytes) =>
      this.#save(caller.accountId, fingerprint, answer, bytes),
    );
  }

  /** Drops all that is kept of an account, and says how much that was. */
  async clear(accountId: string): Promise<number> {
    const dropped = await this.#parts.store.deleteAll(accountId);
    this.#memory.evict(accountId);
    return dropped;
  }

  /** Whatever this instance remembers of an account, or of all, may have been dropped by another. */
  evictLocal(accountId?: string): void {
    this.#memory.evict(accountId);
  }

  sweep(): Promise<void> {
    return this.#parts.store.sweep(new Date(this.#parts.clock.now()));
  }

  async #find(
    accountId: string,
    { exact, words }: Fingerprint,
    wish: CacheOptions,
    route: Route,
  ): Promise<CachedHit | undefined> {
    const now = this.#parts.clock.now();
    const answer =
      this.#memory.get(accountId, exact, now) ?? (await this.#parts.store.find(accountId, exact, new Date(now)));
    const cachedHit = answer && toHit(answer, wish, route, now, undefined);
    if (cachedHit !== undefined || words === undefined || wish.similarity === undefined) return cachedHit;
    return this.#findSimilar(accountId, words, wish, wish.similarity, route);
  }

  async #findSimilar(
    accountId: string,
    { contextDigest: surroundings, vector: point }: TextFingerprint,
    wish: CacheOptions,
    least: number,
    route: Route,
  ): Promise<CachedHit | undefined> {
    const { store, clock } = this.#parts;
    const now = new Date(clock.now());
    const similarCandidates = await store.findSimilar(accountId, surroundings, now, COMPARED_MAX);
    const near = similarCandidates
      .map(({ requestId, vector: other }) => ({ requestId, likeness: cosineSimilarity(point, other) }))
      .filter(({ likeness }) => likeness >= least)
      .sort((one, other) => other.likeness - one.likeness);
    for (const { requestId, likeness } of near) {
      const answer = await store.findByRequest(accountId, requestId, now);
      const cachedHit = answer && toHit(answer, wish, route, now.getTime(), likeness);
      if (cachedHit !== undefined) return cachedHit;
    }
    return undefined;
  }

  #save(accountId: string, fingerprint: Fingerprint, answer: CachedAnswer, bytes: number): void {
    this.#memory.put(accountId, fingerprint.exact, answer, bytes);
    const { store, track: follow, onError: onTrouble } = this.#parts;
    follow(store.save(accountId, fingerprint, answer).catch(onTrouble));
  }
}

/** Only what is as young as the request wants it, and of a model that could serve the request now. */
function toHit(
  answer: CachedAnswer,
  { ttlSeconds }: CacheOptions,
  route: Route,
  now: number,
  likeness: number | undefined,
): CachedHit | undefined {
  const ageSeconds = Math.max(0, Math.floor((now - answer.madeAt.getTime()) / 1000));
  const candidate = route.candidates.find(({ model }) => fullNameOf(model) === answer.model);
  if (candidate === undefined || ageSeconds >= ttlSeconds) return undefined;
  const { requestId, model } = answer;
  const match = likeness === undefined ? "exact" : "similar";
  return {
    answer,
    candidate,
    outcome: { result: "hit", ageSeconds, match, similarity: likeness, requestId, model },
    replay: () => replayParts(answer.parts),
  };
}

async function* replayParts(parts: readonly Part[]): AsyncGenerator<Part> {
  yield* parts;
}

/** An answer that may be given for this request, and what is told of it. */
export interface CachedHit {
  readonly answer: CachedAnswer;
  /** The model that gave it, as it stands for this request. */
  readonly candidate: Candidate;
  readonly outcome: CacheHit;
  /** Its parts, one by one, as a provider would give them. */
  replay(): AsyncIterable<Part>;
}

/** A longer answer is given once and not kept. */
const CACHED_BYTES_MAX = 1024 * 1024;

/** One request at the cache: what was found for it, and where nothing was, what is to be kept of it. */
export class CacheLookup {
  readonly cachedHit: CachedHit | undefined;
  readonly #now: number;
  readonly #ttlSeconds: number;
  readonly #keep: (answer: CachedAnswer, bytes: number) => void;
  #parts: Part[] = [];
  #isKeepable = true;

  constructor(
    cachedHit: CachedHit | undefined,
    now: number,
    ttlSeconds: number,
    keep: (answer: CachedAnswer, bytes: number) => void,
  ) {
    this.cachedHit = cachedHit;
    this.#now = now;
    this.#ttlSeconds = ttlSeconds;
    this.#keep = keep;
    if (cachedHit !== undefined) this.#isKeepable = false;
  }

  get outcome(): CacheOutcome {
    return this.cachedHit?.outcome ?? { result: "miss" };
  }

  /** What the client is given. What a provider refused may be answered the next time. */
  addPart(part: Part): void {
    if (part.type === "finish" && part.reason === "refused") this.#isKeepable = false;
    if (this.#isKeepable) this.#parts.push(part);
  }

  /** The answer is whole and paid for: from now on it may be given again. */
  save(requestId: string, receipt: Receipt): void {
    if (!this.#isKeepable || this.#parts.length === 0) return;
    const bytes = Buffer.byteLength(JSON.stringify(this.#parts));
    if (bytes > CACHED_BYTES_MAX) return;
    const { type: _, model, cost: __, latencyMs: ___, legs: ____, ...usage } = receipt;
    this.#keep(
      {
        requestId,
        model: fullNameOf(model),
        parts: this.#parts,
        usage,
        madeAt: new Date(this.#now),
        expiresAt: new Date(this.#now + this.#ttlSeconds * 1000),
      },
      bytes,
    );
    this.#parts = [];
  }
}
