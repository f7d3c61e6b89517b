import { Fault } from "@trunkline/core/fault.ts";
import { z } from "zod";
import type { LiabilityProof } from "../../../store/ledger/liability-proofs.ts";
import { controlEndpoint, type Endpoint, publicEndpoint } from "../endpoint.ts";

/** How many proofs are published at once. */
const PUBLISHED = 30;
/** How often one address may ask, in a minute. */
const READS_PER_ADDRESS = 60;

const amountSchema = z.string().describe("In whole nano-credits, as text: a JSON number would round it.");
const rootSchema = z.string().describe("The root's SHA-256, in hexadecimal digits.");

const publishedProofSchema = z.object({
  made_at: z.string(),
  root: rootSchema,
  total: amountSchema,
  accounts: z.int(),
});

function toPublishedProof({ madeAt, root, total, accounts }: LiabilityProof): z.infer<typeof publishedProofSchema> {
  return { made_at: madeAt.toISOString(), root, total: String(total), accounts };
}

const readPublishedProofs = publicEndpoint({
  method: "GET",
  path: "/v1/proof",
  status: 200,
  tag: "Billing",
  summary: "What the service owes to all accounts, with the root of the tree that proves it",
  description: `The ${PUBLISHED} newest proofs, newest first. One is made every night. Needs no key.`,
  faults: ["rate_limited"],
  response: z.object({ data: z.array(publishedProofSchema), next_cursor: z.null() }),
  async handle({ services, request }) {
    await services.limits.tryLimiter.take("proof", [{ name: request.ip, limit: READS_PER_ADDRESS }]);
    const proofs = await services.ledger.liabilityProofs.list(PUBLISHED);
    return { data: proofs.map(toPublishedProof), next_cursor: null };
  },
});

const readOwnProof = controlEndpoint({
  method: "GET",
  path: "/v1/balance/proof",
  permission: "balance.read",
  status: 200,
  tag: "Account",
  summary: "The proof that the account's balance is part of what the service owes",
  description:
    "The account's leaf in the newest tree, and the path from there to the published root. `trunkline verify-proof` checks a saved answer offline.",
  faults: ["not_found"],
  response: z.object({
    account_id: z.string(),
    amount: amountSchema.describe("The balance, and what the account is owed as a provider, in whole nano-credits."),
    salt: z.string().describe("What makes the leaf's hash unguessable. Keep it to yourself."),
    path: z.array(z.object({ side: z.enum(["left", "right"]), hash: z.string(), sum: amountSchema })),
    root: rootSchema,
    total: amountSchema,
    made_at: z.string(),
  }),
  async handle({ services, caller }) {
    const proof = await services.ledger.liabilityProofs.find(caller.accountId);
    if (proof === undefined) {
      throw new Fault("not_found", "The account is in no proof yet. One is made every night, in UTC.");
    }
    const { madeAt, ...fields } = proof;
    return { ...fields, made_at: madeAt.toISOString() };
  },
});

const makeProof = controlEndpoint({
  method: "POST",
  path: "/v1/admin/proof",
  permission: "operator.change",
  audit: { action: "proof.make", details: (_context, result) => ({ root: result.root, total: result.total }) },
  status: 201,
  tag: "Operator",
  summary: "Make and publish a proof of what the service owes now",
  faults: [],
  response: publishedProofSchema,
  handle: async ({ services }) => toPublishedProof(await services.ledger.liabilityProofs.make()),
});

export const proofEndpoints: readonly Endpoint[] = [readPublishedProofs, readOwnProof];
export const operatorProofEndpoints: readonly Endpoint[] = [makeProof];
