import type { Part } from "@trunkline/core/answer.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { likenessOf } from "@trunkline/core/embed-text.ts";
import type { CacheWish, Inference } from "@trunkline/core/inference.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { Route } from "@trunkline/core/route.ts";
import { CacheVisit, type Hit } from "./cache-visit.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type { AnswerStore, Fingerprint, KeptAnswer, WordsPrint } from "./kept-answer.ts";
import { MemoryShelf } from "./memory-shelf.ts";

/** What the cache is set up with. */
export interface AnswerCacheParts {
  readonly store: AnswerStore;
  readonly clock: Clock;
  /** For work that no request waits for. */
  readonly follow: (work: Promise<unknown>) => void;
  /** Told of every trouble with the store: a request that meets it is simply answered anew. */
  readonly onTrouble: (error: unknown) => void;
}

const MEMORY_BYTES = 32 * 1024 * 1024;
/** With how many questions of the same surroundings one is compared at most, the newest first. */
const COMPARED_MAX = 2_000;

/** Answers that were given before, for those who asked that they be given again. Each account has its own. */
export class AnswerCache {
  readonly #parts: AnswerCacheParts;
  readonly #shelf = new MemoryShelf(MEMORY_BYTES);

  constructor(parts: AnswerCacheParts) {
    this.#parts = parts;
  }

  /** Looks for an answer to a request that has been let in, routed and judged. undefined where nobody asked for that. */
  async visit(caller: Caller, inference: Inference, route: Route): Promise<CacheVisit | undefined> {
    const wish = inference.cache ?? caller.cache;
    if (wish === undefined || wish === false) return undefined;
    const fingerprint = fingerprintOf(inference, route, wish.similarity !== undefined);
    const hit = await this.#find(caller.accountId, fingerprint, wish, route).catch((error: unknown) => {
      this.#parts.onTrouble(error);
      return undefined;
    });
    return new CacheVisit(hit, this.#parts.clock.now(), wish.ttlSeconds, (answer, bytes) =>
      this.#keep(caller.accountId, fingerprint, answer, bytes),
    );
  }

  /** Drops all that is kept of an account, and says how much that was. */
  async drop(accountId: string): Promise<number> {
    const dropped = await this.#parts.store.drop(accountId);
    this.#shelf.forget(accountId);
    return dropped;
  }

  /** Whatever this instance remembers of an account, or of all, may have been dropped by another. */
  forget(accountId?: string): void {
    this.#shelf.forget(accountId);
  }

  sweep(): Promise<void> {
    return this.#parts.store.sweep(new Date(this.#parts.clock.now()));
  }

  async #find(
    accountId: string,
    { exact, words }: Fingerprint,
    wish: CacheWish,
    route: Route,
  ): Promise<Hit | undefined> {
    const now = this.#parts.clock.now();
    const answer =
      this.#shelf.get(accountId, exact, now) ??
      (await this.#parts.store.find(accountId, exact, new Date(now)));
    const hit = answer && hitOf(answer, wish, route, now, undefined);
    if (hit !== undefined || words === undefined || wish.similarity === undefined) return hit;
    return this.#findAlike(accountId, words, wish, wish.similarity, route);
  }

  async #findAlike(
    accountId: string,
    { surroundings, point }: WordsPrint,
    wish: CacheWish,
    least: number,
    route: Route,
  ): Promise<Hit | undefined> {
    const { store, clock } = this.#parts;
    const now = new Date(clock.now());
    const neighbours = await store.neighbours(accountId, surroundings, now, COMPARED_MAX);
    const near = neighbours
      .map(({ requestId, point: other }) => ({ requestId, likeness: likenessOf(point, other) }))
      .filter(({ likeness }) => likeness >= least)
      .sort((one, other) => other.likeness - one.likeness);
    for (const { requestId, likeness } of near) {
      const answer = await store.findByRequest(accountId, requestId, now);
      const hit = answer && hitOf(answer, wish, route, now.getTime(), likeness);
      if (hit !== undefined) return hit;
    }
    return undefined;
  }

  #keep(accountId: string, fingerprint: Fingerprint, answer: KeptAnswer, bytes: number): void {
    this.#shelf.put(accountId, fingerprint.exact, answer, bytes);
    const { store, follow, onTrouble } = this.#parts;
    follow(store.keep(accountId, fingerprint, answer).catch(onTrouble));
  }
}

/** Only what is as young as the request wants it, and of a model that could serve the request now. */
function hitOf(
  answer: KeptAnswer,
  { ttlSeconds }: CacheWish,
  route: Route,
  now: number,
  likeness: number | undefined,
): Hit | undefined {
  const ageSeconds = Math.max(0, Math.floor((now - answer.madeAt.getTime()) / 1000));
  const candidate = route.candidates.find(({ model }) => fullNameOf(model) === answer.model);
  if (candidate === undefined || ageSeconds >= ttlSeconds) return undefined;
  const { requestId, model } = answer;
  const match = likeness === undefined ? "exact" : "similar";
  return {
    answer,
    candidate,
    told: { result: "hit", ageSeconds, match, similarity: likeness, requestId, model },
    again: () => oneByOne(answer.parts),
  };
}

async function* oneByOne(parts: readonly Part[]): AsyncGenerator<Part> {
  yield* parts;
}
