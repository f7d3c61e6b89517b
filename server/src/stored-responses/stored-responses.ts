import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId } from "@trunkline/core/id.ts";
import type { Sealer } from "@trunkline/core/secret.ts";
import { type CountBytes, openJson, type StoredItem, sealJson } from "./sealed-json.ts";

/** A response whose request and answer together are larger is not kept. */
export const RESPONSE_BYTES_MAX = 8 * 1024 * 1024;
/** The most of earlier responses that one request can refer to or continue. */
export const CHAIN_BYTES_MAX = 20 * 1024 * 1024;
export const CHAIN_LENGTH_MAX = 1_000;
/** The most that an account's responses may take together; those that were used least recently are deleted first. */
export const ACCOUNT_RESPONSE_BYTES_MAX = 256 * 1024 * 1024;
export const ACCOUNT_RESPONSES_MAX = 50_000;
/** What an account may write here before its responses are counted again. */
const UNCOUNTED_BYTES_MAX = 32 * 1024 * 1024;
const UNCOUNTED_RESPONSES_MAX = 1_000;
/** While more than this waits for the store, no further response is kept. */
const PENDING_BYTES_MAX = 64 * 1024 * 1024;
const DAY_MS = 24 * 3_600_000;

/** A response with its output, as the client received it. */
export type ResponseBody = Readonly<Record<string, unknown>> & { readonly output: readonly StoredItem[] };

export interface StoredResponse {
  readonly id: string;
  /** What its request added to the conversation. */
  readonly input: readonly StoredItem[];
  readonly response: ResponseBody;
}

export interface NewStoredResponse extends StoredResponse {
  readonly accountId: string;
  /** The responses that it continues, the last one at the end. */
  readonly chain: readonly string[];
  /** The ids of items that its request referred to. */
  readonly referredItemIds: readonly string[];
}

/** A stored response as the store has it: encrypted. */
export interface SealedResponse {
  readonly id: string;
  readonly input: Buffer;
  readonly response: Buffer;
}

export interface SealedResponseStore {
  /** Stores it, and lets the responses that it uses expire no earlier. */
  save(
    sealed: SealedResponse & {
      readonly accountId: string;
      readonly previousId: string | undefined;
      readonly usedIds: readonly string[];
    },
    times: { readonly createdAt: Date; readonly expiresAt: Date },
  ): Promise<void>;
  find(accountId: string, id: string, now: Date): Promise<SealedResponse | undefined>;
  /** A response and those that it continues, the first one first. `isWhole`: the first one continues none. */
  chain(
    accountId: string,
    id: string,
    now: Date,
    limits: { readonly length: number; readonly bytes: number },
  ): Promise<{ readonly responses: readonly SealedResponse[]; readonly isWhole: boolean; readonly isTooLong: boolean }>;
  /** The inputs or the responses of several, up to this number of bytes. */
  parts(
    part: "input" | "response",
    accountId: string,
    ids: readonly string[],
    now: Date,
    bytesMax: number,
  ): Promise<readonly { readonly id: string; readonly box: Buffer }[]>;
  remove(accountId: string, id: string): Promise<boolean>;
  /** Deletes those used least recently until the account has no more than this. */
  trim(accountId: string, limits: { readonly bytes: number; readonly count: number }): Promise<void>;
  sweep(now: Date): Promise<void>;
}

interface StoredResponsesDependencies {
  readonly store: SealedResponseStore;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** How long a response is kept after its last use; 0: nothing is kept. */
  readonly days: number;
  /** Called where a response could not be kept. The client's answer does not fail by it. */
  readonly onError: (error: unknown) => void;
}

/** The responses of accounts that later requests can continue. Those of other accounts are treated as missing. */
export class StoredResponses {
  readonly #dependencies: StoredResponsesDependencies;
  /** What each account has written since its responses were last counted. */
  readonly #uncounted = new Map<string, { bytes: number; count: number }>();
  #pendingBytes = 0;

  constructor(dependencies: StoredResponsesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether responses are kept at all. */
  get isOn(): boolean {
    return this.#dependencies.days > 0;
  }

  /** Keeps a response. Returns whether it is kept: it may be too large, or the store may be away. */
  async save(newResponse: NewStoredResponse): Promise<boolean> {
    const { id, accountId, chain, referredItemIds, input, response } = newResponse;
    const { store, sealer, clock, days, onError } = this.#dependencies;
    const sealed = {
      id,
      accountId,
      previousId: chain.at(-1),
      usedIds: [
        ...new Set([
          ...chain,
          ...responseIdsOf(referredItemIds, "response"),
          ...responseIdsOf(referredItemIds, "input"),
        ]),
      ],
      input: sealJson(sealer, input, responseOwner(accountId, id, "input")),
      response: sealJson(sealer, response, responseOwner(accountId, id, "response")),
    };
    const bytes = sealed.input.length + sealed.response.length;
    if (bytes > RESPONSE_BYTES_MAX || this.#pendingBytes + bytes > PENDING_BYTES_MAX) return false;
    this.#pendingBytes += bytes;
    try {
      await this.#makeRoom(accountId, bytes);
      const now = clock.now();
      await store.save(sealed, { createdAt: new Date(now), expiresAt: new Date(now + days * DAY_MS) });
      return true;
    } catch (error) {
      onError(error);
      return false;
    } finally {
      this.#pendingBytes -= bytes;
    }
  }

  /** An account that writes much is trimmed as it writes, not only at the next sweep. */
  async #makeRoom(accountId: string, bytes: number): Promise<void> {
    const uncounted = this.#uncounted.get(accountId) ?? { bytes: 0, count: 0 };
    uncounted.bytes += bytes;
    uncounted.count += 1;
    this.#uncounted.set(accountId, uncounted);
    if (uncounted.bytes > UNCOUNTED_BYTES_MAX || uncounted.count > UNCOUNTED_RESPONSES_MAX) await this.#trim(accountId);
  }

  async #trim(accountId: string): Promise<void> {
    this.#uncounted.delete(accountId);
    await this.#dependencies.store.trim(accountId, {
      bytes: ACCOUNT_RESPONSE_BYTES_MAX,
      count: ACCOUNT_RESPONSES_MAX,
    });
  }

  async find(accountId: string, id: string): Promise<StoredResponse | undefined> {
    const sealed = isId(id) ? await this.#dependencies.store.find(accountId, id, this.#now()) : undefined;
    return sealed && this.#open(accountId, sealed);
  }

  /** A response and all that it continues, the first one first. */
  async chain(accountId: string, id: string, countBytes: CountBytes): Promise<readonly StoredResponse[]> {
    if (!isId(id)) throw noSuchPrevious();
    const limits = { length: CHAIN_LENGTH_MAX, bytes: CHAIN_BYTES_MAX };
    const found = await this.#dependencies.store.chain(accountId, id, this.#now(), limits);
    if (found.isTooLong)
      throw new Fault(
        "invalid_request",
        `A conversation may have ${CHAIN_LENGTH_MAX.toLocaleString("en")} responses and ${CHAIN_BYTES_MAX / 1024 / 1024} MiB. Begin a new one, with what matters of this one in \`input\`.`,
        { param: "previous_response_id" },
      );
    if (found.responses.length === 0) throw noSuchPrevious();
    if (!found.isWhole)
      throw new Fault(
        "previous_response_not_found",
        "A response that this one continues was deleted or has expired. Send the conversation as `input`.",
        { param: "previous_response_id" },
      );
    countBytes(found.responses.reduce((sum, { input, response }) => sum + input.length + response.length, 0));
    return found.responses.map((sealed) => this.#open(accountId, sealed));
  }

  /** The items with these ids, as far as they are in responses of the account. */
  async items(accountId: string, itemIds: readonly string[], countBytes: CountBytes): Promise<Map<string, StoredItem>> {
    const wanted = new Set(itemIds);
    const found = new Map<string, StoredItem>();
    const { store, sealer } = this.#dependencies;
    for (const part of ["response", "input"] as const) {
      const ids = responseIdsOf(itemIds, part);
      if (ids.length === 0) continue;
      const boxes = await store.parts(part, accountId, ids, this.#now(), CHAIN_BYTES_MAX);
      countBytes(boxes.reduce((sum, { box }) => sum + box.length, 0));
      for (const { id, box } of boxes) {
        const opened = openJson(sealer, box, responseOwner(accountId, id, part));
        const items = part === "input" ? (opened as readonly StoredItem[]) : (opened as ResponseBody).output;
        for (const item of items) if (wanted.has(item.id)) found.set(item.id, item);
      }
    }
    return found;
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    return isId(id) && (await this.#dependencies.store.remove(accountId, id));
  }

  async sweep(): Promise<void> {
    await this.#dependencies.store.sweep(this.#now());
    for (const accountId of [...this.#uncounted.keys()]) await this.#trim(accountId);
  }

  #open(accountId: string, { id, input, response }: SealedResponse): StoredResponse {
    const { sealer } = this.#dependencies;
    return {
      id,
      input: openJson(sealer, input, responseOwner(accountId, id, "input")) as readonly StoredItem[],
      response: openJson(sealer, response, responseOwner(accountId, id, "response")) as ResponseBody,
    };
  }

  #now(): Date {
    return new Date(this.#dependencies.clock.now());
  }
}

export function responseOwner(accountId: string, id: string, part: "input" | "response"): string {
  return `${accountId}/response/${id}/${part}`;
}

/** The id of an item holds that of its response: `msg-<response>-0` is of the output, `msg-<response>-in0` of the input. */
const ITEM_ID = /^[a-z]{2,8}-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-(in)?\d{1,5}$/;

export function inputItemId(prefix: string, responseId: string, index: number): string {
  return `${prefix}-${responseId}-in${index}`;
}

/** The responses that have items with these ids in their output or in their input. */
function responseIdsOf(itemIds: readonly string[], part: "input" | "response"): string[] {
  const ids = itemIds.flatMap((itemId) => {
    const [, id, marker] = ITEM_ID.exec(itemId) ?? [];
    return id !== undefined && (marker === undefined) === (part === "response") ? [id] : [];
  });
  return [...new Set(ids)];
}

function noSuchPrevious(): Fault {
  return new Fault(
    "previous_response_not_found",
    "There is no such response: it was not kept, was deleted, or has expired. Send the conversation as `input`.",
    { param: "previous_response_id" },
  );
}
