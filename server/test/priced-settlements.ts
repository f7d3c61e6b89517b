import type { Settlement } from "../src/billing/settlement.ts";
import { newId } from "../src/kit/id.ts";
import type { FreshStore } from "./fresh-store.ts";
import { sampleSettlement } from "./sample-settlement.ts";

/** What `priceVersion` charges: a nano-credit a token in, two and a half a token out, a thousand an image, none a request. */
const PRICE = [1_000_000n, 2_500_000n, 1_000n, 0n];

/** Puts a model with a price into the store, and gives settlements that cost what it charges for their tokens. */
export async function priceSettlements(store: FreshStore) {
  const modelId = newId();
  await store.database.query(
    `INSERT INTO models (id, account_id, provider, name, type, description, endpoint, auth_type, may_dial_private,
       capabilities, specialties, streaming, backups, limits, state)
     VALUES ($1, $2, 'acme', 'model', 'text', '', 'http://127.0.0.1', 'none', true, '{}', '{}', false, '{}', '{}', 'live')`,
    [modelId, await store.makeAccount()],
  );
  const rows = await store.database.query<{ id: bigint }>(
    `INSERT INTO price_versions (model_id, input_per_million, output_per_million, per_image, per_request)
     VALUES ($1, $2, $3, $4, $5) RETURNING id`,
    [modelId, ...PRICE],
  );
  const priceVersion = String(rows[0]?.id);
  return (change: Partial<Settlement> & { readonly cost: bigint }) =>
    sampleSettlement({ priceVersion, inputTokens: Number(change.cost), outputTokens: 0, ...change });
}
