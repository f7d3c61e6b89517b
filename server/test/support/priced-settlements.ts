import { newId } from "@trunkline/core/id.ts";
import type { Price } from "@trunkline/core/model.ts";
import type { Settlement } from "../../src/ledger/billing/settlement.ts";
import { insertPrice, readPrice } from "../../src/store/models/price-versions.ts";
import type { FreshStore } from "./fresh-store.ts";
import { sampleSettlement } from "./sample-settlement.ts";

/**
 * What `priceVersion` charges: a nano-credit a token in, a tenth of it out of the cache, a quarter more
 * into it, two and a half a token out, a
 * thousand an image, none a request, two hundred a second.
 */
export const SAMPLE_PRICE: Omit<Price, "version"> = {
  inputPerMillion: 1_000_000n,
  cachedInputPerMillion: 100_000n,
  cacheWritePerMillion: 1_250_000n,
  outputPerMillion: 2_500_000n,
  perImage: 1_000n,
  perRequest: 0n,
  perSecond: 200n,
};

/** Puts a model with a price into the store, of an account of its own or of `ownerId`, and gives settlements that cost what it charges for their tokens. */
export async function priceSettlements(
  store: FreshStore,
  price: Omit<Price, "version"> = SAMPLE_PRICE,
  ownerId?: string,
) {
  const modelId = newId();
  await store.database.query(
    `INSERT INTO models (id, account_id, provider, name, type, description, endpoint, auth_type, may_dial_private,
       capabilities, specialties, streaming, backups, limits, state)
     VALUES ($1, $2, 'acme', $1::uuid::text, 'text', '', 'http://127.0.0.1', 'none', true, '{}', '{}', false, '{}', '{}', 'live')`,
    [modelId, ownerId ?? (await store.makeAccount())],
  );
  await insertPrice(store.database, modelId, { version: "new", ...price });
  const priceVersion = (await readPrice(store.database, modelId))?.version;
  return (change: Partial<Settlement> & { readonly cost: bigint }) =>
    sampleSettlement({ priceVersion, inputTokens: Number(change.cost), outputTokens: 0, ...change });
}
