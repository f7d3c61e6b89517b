import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import type { CollectedAnswer } from "@trunkline/core/collected-answer.ts";
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

interface AnswerCacheDependencies {
  readonly store: CachedAnswerStore;
  readonly clock: Clock;
  /** Tracks work that no request waits for. */
  readonly track: (work: Promise<unknown>) => void;
  /** Called with every error of the store. The request then counts as a miss. */
  readonly onError: (error: unknown) => void;
}

const MEMORY_BYTES = 32 * 1024 * 1024;
/** The most stored questions with the same context that one is compared with, newest first. */
const COMPARED_MAX = 2_000;

/** Caches answers for requests that allow it. Each account has its own cache. */
export class AnswerCache {
  readonly #dependencies: AnswerCacheDependencies;
  readonly #memory = new MemoryCache(MEMORY_BYTES);

  constructor(dependencies: AnswerCacheDependencies) {
    this.#dependencies = dependencies;
  }

  /** Looks for an answer to an admitted, routed and screened request. Undefined where neither request nor key allows it. */
  async lookUp(caller: Caller, inference: Inference, route: Route): Promise<CacheLookup | undefined> {
    const options = inference.cache ?? caller.cache;
    if (options === undefined || options === false) return undefined;
    const fingerprint = fingerprintOf(inference, route, options.similarity !== undefined);
    const cachedHit = await this.#find(caller.accountId, fingerprint, options, route).catch((error: unknown) => {
      this.#dependencies.onError(error);
      return undefined;
    });
    return new CacheLookup(cachedHit, this.#dependencies.clock.now(), options.ttlSeconds, (answer, bytes) =>
      this.#save(caller.accountId, fingerprint, answer, bytes),
    );
  }

  /** Deletes all answers of an account. Returns their number. */
  async clear(accountId: string): Promise<number> {
    const deleted = await this.#dependencies.store.deleteAll(accountId);
    this.#memory.evict(accountId);
    return deleted;
  }

  /** Evicts an account, or all, from memory: another instance may have deleted their answers. */
  evictLocal(accountId?: string): void {
    this.#memory.evict(accountId);
  }

  sweep(): Promise<void> {
    return this.#dependencies.store.sweep(new Date(this.#dependencies.clock.now()));
  }

  async #find(
    accountId: string,
    { exact, words }: Fingerprint,
    options: CacheOptions,
    route: Route,
  ): Promise<CachedHit | undefined> {
    const now = this.#dependencies.clock.now();
    const answer =
      this.#memory.get(accountId, exact, now) ?? (await this.#dependencies.store.find(accountId, exact, new Date(now)));
    const cachedHit = answer && toHit(answer, options, route, now, undefined);
    if (cachedHit !== undefined || words === undefined || options.similarity === undefined) return cachedHit;
    return this.#findSimilar(accountId, words, options, options.similarity, route);
  }

  async #findSimilar(
    accountId: string,
    { contextDigest, vector }: TextFingerprint,
    options: CacheOptions,
    similarityMin: number,
    route: Route,
  ): Promise<CachedHit | undefined> {
    const { store, clock } = this.#dependencies;
    const now = new Date(clock.now());
    const candidates = await store.findSimilar(accountId, contextDigest, now, COMPARED_MAX);
    const similar = candidates
      .map((candidate) => ({
        requestId: candidate.requestId,
        similarity: cosineSimilarity(vector, candidate.vector),
      }))
      .filter(({ similarity }) => similarity >= similarityMin)
      .sort((a, b) => b.similarity - a.similarity);
    for (const { requestId, similarity } of similar) {
      const answer = await store.findByRequest(accountId, requestId, now);
      const cachedHit = answer && toHit(answer, options, route, now.getTime(), similarity);
      if (cachedHit !== undefined) return cachedHit;
    }
    return undefined;
  }

  #save(accountId: string, fingerprint: Fingerprint, answer: CachedAnswer, bytes: number): void {
    this.#memory.put(accountId, fingerprint.exact, answer, bytes);
    const { store, track, onError } = this.#dependencies;
    track(store.save(accountId, fingerprint, answer).catch(onError));
  }
}

/** Undefined where the answer is older than the request allows, or its model could not serve the request now. */
function toHit(
  answer: CachedAnswer,
  { ttlSeconds }: CacheOptions,
  route: Route,
  now: number,
  similarity: number | undefined,
): CachedHit | undefined {
  const ageSeconds = Math.max(0, Math.floor((now - answer.madeAt.getTime()) / 1000));
  const candidate = route.ranking.find((ranked) => fullNameOf(ranked.candidate.model) === answer.model)?.candidate;
  if (candidate === undefined || ageSeconds >= ttlSeconds) return undefined;
  const { requestId, model } = answer;
  const match = similarity === undefined ? "exact" : "similar";
  return {
    answer,
    candidate,
    outcome: { result: "hit", ageSeconds, match, similarity, requestId, model },
    replay: () => replayParts(answer.parts),
  };
}

async function* replayParts(parts: readonly Part[]): AsyncGenerator<readonly Part[]> {
  yield parts;
}

/** A cached answer for a request. */
export interface CachedHit {
  readonly answer: CachedAnswer;
  /** The answer's model, as a candidate of this request. */
  readonly candidate: Candidate;
  readonly outcome: CacheHit;
  /** Its parts, as a provider would send them. */
  replay(): AsyncIterable<readonly Part[]>;
}

/** Longer answers are not cached. */
const CACHED_BYTES_MAX = 1024 * 1024;

/** The cache's part in one request: the hit, or on a miss how the answer is saved. */
export class CacheLookup {
  readonly cachedHit: CachedHit | undefined;
  readonly #now: number;
  readonly #ttlSeconds: number;
  readonly #save: (answer: CachedAnswer, bytes: number) => void;

  constructor(
    cachedHit: CachedHit | undefined,
    now: number,
    ttlSeconds: number,
    save: (answer: CachedAnswer, bytes: number) => void,
  ) {
    this.cachedHit = cachedHit;
    this.#now = now;
    this.#ttlSeconds = ttlSeconds;
    this.#save = save;
  }

  get outcome(): CacheOutcome {
    return this.cachedHit?.outcome ?? { result: "miss" };
  }

  /**
   * Caches an answer, once it is complete and charged. A refusal is not cached: the provider may answer the next time.
   */
  save(requestId: string, receipt: Receipt, { parts }: CollectedAnswer): void {
    const isRefusal = parts.some((part) => part.type === "finish" && part.reason === "refused");
    if (this.cachedHit !== undefined || isRefusal || parts.length === 0) return;
    const bytes = Buffer.byteLength(JSON.stringify(parts));
    if (bytes > CACHED_BYTES_MAX) return;
    const { type: _, model, cost: __, latencyMs: ___, legs: ____, ...usage } = receipt;
    this.#save(
      {
        requestId,
        model: fullNameOf(model),
        parts,
        usage,
        madeAt: new Date(this.#now),
        expiresAt: new Date(this.#now + this.#ttlSeconds * 1000),
      },
      bytes,
    );
  }
}
