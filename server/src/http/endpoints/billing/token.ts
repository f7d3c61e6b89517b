import { randomBytes } from "node:crypto";
import { Fault } from "@trunkline/core/fault.ts";
import { creditsSchema, toNanoCredits } from "@trunkline/core/field-schemas.ts";
import { isId } from "@trunkline/core/id.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import type { Services, TokenServices } from "../../../app/services.ts";
import { DEPOSIT_STATES, type PendingDeposit, type TokenDeposit } from "../../../payments/token/deposit-store.ts";
import { creditsFor, formatRate, formatUnits, type TokenRate } from "../../../payments/token/token-rate.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

/** Payments by token, or 404 where the service accepts none. */
export function tokenServices({ token }: Services): TokenServices {
  if (token === undefined) throw new Fault("not_found", "This service accepts no token.");
  return token;
}

const rateSchema = z
  .object({ credits_per_token: z.string(), source: z.enum(["fixed", "price_feed"]) })
  .nullable()
  .describe("Null while the price source has no fresh price. A payment counts by the rate in its own block.");

const depositSchema = z.object({
  id: z.string(),
  state: z.enum(DEPOSIT_STATES),
  chain_id: z.number(),
  transaction: z.string(),
  log_index: z.number(),
  block: z.number(),
  from: z.string(),
  amount: z.string().describe("Tokens that were announced."),
  received: z.string().describe("Tokens that arrived."),
  credits_per_token: z.string().nullable(),
  credits: z.number().nullable(),
  note: z.string().nullable(),
  created_at: z.string(),
  credited_at: z.string().nullable(),
});

const pendingSchema = z.object({
  transaction: z.string(),
  log_index: z.number(),
  block: z.number(),
  from: z.string(),
  amount: z.string(),
  credits: z.number().nullable().describe("What it is worth now."),
  confirmations: z.number().describe("Blocks so far, its own included."),
  confirmations_needed: z.number(),
});

function toDepositResponse({ settings }: TokenServices, deposit: TokenDeposit): z.infer<typeof depositSchema> {
  return {
    id: deposit.id,
    state: deposit.state,
    chain_id: settings.chainId,
    transaction: deposit.txHash,
    log_index: deposit.logIndex,
    block: Number(deposit.blockNumber),
    from: deposit.sender,
    amount: formatUnits(deposit.units, deposit.tokenDecimals),
    received: formatUnits(deposit.received, deposit.tokenDecimals),
    credits_per_token: deposit.rate ?? null,
    credits: deposit.amount === undefined ? null : toCredits(deposit.amount),
    note: deposit.note ?? null,
    created_at: deposit.createdAt.toISOString(),
    credited_at: deposit.creditedAt?.toISOString() ?? null,
  };
}

const readToken = controlEndpoint({
  method: "GET",
  path: "/v1/billing/token",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "How to pay by token, and the rate",
  description:
    "Send tokens from a linked wallet to the treasury, or pay through the deposit contract by the reference.",
  faults: ["not_found"],
  response: z.object({
    chain_id: z.number(),
    contract: z.string(),
    symbol: z.string(),
    decimals: z.number(),
    treasury: z.string().describe("Where linked wallets send tokens to."),
    deposit_contract: z.string().nullable().describe("Takes `deposit(amount, reference)` from any wallet."),
    reference: z.string().describe("Names this account for the deposit contract, and nothing else."),
    rate: rateSchema,
    confirmations: z
      .number()
      .nullable()
      .describe("Blocks until a payment counts; null: when the chain calls it final."),
  }),
  async handle({ services, caller }) {
    const token = tokenServices(services);
    const { settings } = token;
    const [{ symbol, decimals }, rate, reference] = await Promise.all([
      onChain(token.chain.facts()),
      onChain(token.chain.rate("latest")),
      token.deposits.referenceOf(caller.accountId, `0x${randomBytes(32).toString("hex")}`),
    ]);
    return {
      chain_id: settings.chainId,
      contract: settings.contract,
      symbol,
      decimals,
      treasury: settings.treasury,
      deposit_contract: settings.depositContract ?? null,
      reference,
      rate: toRateResponse(token, rate),
      confirmations: settings.confirmations ?? null,
    };
  },
});

const listDeposits = controlEndpoint({
  method: "GET",
  path: "/v1/billing/token/deposits",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "Token payments, newest first, and those on their way",
  faults: ["not_found"],
  query: pageQuery,
  response: pageResponseSchema(depositSchema).extend({
    pending: z.array(pendingSchema).describe("Not final yet: these vanish if the chain drops their block."),
  }),
  async handle({ services, caller, query }) {
    const token = tokenServices(services);
    const page = await listPage(
      query,
      (limit, cursor) => token.deposits.list({ accountId: caller.accountId, state: undefined }, limit, cursor),
      (deposit) => toDepositResponse(token, deposit),
    );
    return { ...page, pending: await readPending(token, caller.accountId) };
  },
});

async function readPending(token: TokenServices, accountId: string): Promise<z.infer<typeof pendingSchema>[]> {
  const pending = await token.deposits.pendingOf(accountId);
  if (pending.length === 0) return [];
  const [scan, { decimals }, rate] = await Promise.all([
    token.deposits.state(),
    onChain(token.chain.facts()),
    onChain(token.chain.rate("latest")),
  ]);
  const head = scan?.headBlock ?? 0n;
  // Where the chain itself says what is final, as many as it takes now.
  const needed = token.settings.confirmations ?? Number(head - (scan?.finalBlock ?? head)) + 1;
  return pending.map((deposit: PendingDeposit) => ({
    transaction: deposit.txHash,
    log_index: deposit.logIndex,
    block: Number(deposit.blockNumber),
    from: deposit.sender,
    amount: formatUnits(deposit.units, decimals),
    credits: rate === undefined ? null : toCredits(creditsFor(deposit.units, decimals, rate)),
    confirmations: Math.max(1, Number(head - deposit.blockNumber) + 1),
    confirmations_needed: needed,
  }));
}

function toRateResponse({ settings }: TokenServices, rate: TokenRate | undefined): z.infer<typeof rateSchema> {
  if (rate === undefined) return null;
  return { credits_per_token: formatRate(rate), source: settings.rate.kind === "fixed" ? "fixed" : "price_feed" };
}

/** What is read from the chain while a client waits. */
function onChain<Result>(reading: Promise<Result>): Promise<Result> {
  return reading.catch((error: unknown) => {
    throw new Fault(
      "unavailable",
      "The token's chain can't be read at the moment. Try again shortly.",
      { retryAfterSeconds: 5 },
      { cause: error },
    );
  });
}

const readTreasury = controlEndpoint({
  method: "GET",
  path: "/v1/admin/token",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "The treasury, and how far the chain is read",
  faults: ["not_found"],
  response: z.object({
    chain_id: z.number(),
    contract: z.string(),
    symbol: z.string(),
    treasury: z.string(),
    balance: z.string().describe("The treasury's tokens now."),
    rate: rateSchema,
    head_block: z.number().nullable(),
    final_block: z.number().nullable(),
    next_block: z.number().nullable().describe("All blocks before it are read."),
    read_at: z.string().nullable().describe("When the chain was last looked at."),
    unexplained: z.string().describe("Tokens that came to the treasury without a Transfer event, credited to nobody."),
  }),
  async handle({ services }) {
    const token = tokenServices(services);
    const { settings, chain, deposits } = token;
    const [{ symbol, decimals }, balance, rate, scan] = await Promise.all([
      onChain(chain.facts()),
      onChain(chain.treasuryBalance("latest")),
      onChain(chain.rate("latest")),
      deposits.state(),
    ]);
    const toNumber = (block: bigint | undefined) => (block === undefined ? null : Number(block));
    return {
      chain_id: settings.chainId,
      contract: settings.contract,
      symbol,
      treasury: settings.treasury,
      balance: formatUnits(balance ?? 0n, decimals),
      rate: toRateResponse(token, rate),
      head_block: toNumber(scan?.headBlock),
      final_block: toNumber(scan?.finalBlock),
      next_block: toNumber(scan?.nextBlock),
      read_at: scan?.readAt?.toISOString() ?? null,
      unexplained: formatUnits(scan?.unexplained ?? 0n, decimals),
    };
  },
});

const operatorDepositSchema = depositSchema.extend({ account_id: z.string().nullable() });

const listAllDeposits = controlEndpoint({
  method: "GET",
  path: "/v1/admin/token/deposits",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "Token payments of all accounts, newest first",
  faults: ["not_found"],
  query: pageQuery.extend({ state: z.enum(DEPOSIT_STATES).optional() }),
  response: pageResponseSchema(operatorDepositSchema),
  async handle({ services, query }) {
    const token = tokenServices(services);
    return listPage(
      query,
      (limit, cursor) => token.deposits.list({ accountId: undefined, state: query.state }, limit, cursor),
      (deposit) => ({ ...toDepositResponse(token, deposit), account_id: deposit.accountId ?? null }),
    );
  },
});

const creditDeposit = controlEndpoint({
  method: "POST",
  path: "/v1/admin/token/deposits/:id/credit",
  permission: "operator.change",
  audit: {
    action: "deposit.credit",
    details: (_context, result) => ({ credits: result.credits, transaction: result.transaction }),
    accountOf: ({ body }) => body.account_id,
  },
  status: 200,
  tag: "Operator",
  summary: "Credit a payment that waits",
  description: "For a payment that is unclaimed or under review. It is credited once.",
  faults: ["not_found", "conflict"],
  body: z.object({
    account_id: z.string(),
    credits: creditsSchema(0.000000001, 1_000_000_000).optional().describe("Undefined: what the payment is worth."),
  }),
  response: operatorDepositSchema,
  async handle({ services, body, params }) {
    const token = tokenServices(services);
    const id = params.id ?? "";
    if (!isId(id)) throw new Fault("not_found", "There is no such deposit.");
    if (!isId(body.account_id)) throw new Fault("not_found", "There is no such account.", { param: "account_id" });
    const amount = body.credits === undefined ? undefined : toNanoCredits(body.credits);
    const deposit = await token.deposits.creditByOperator(id, body.account_id, amount);
    token.onCredit(body.account_id);
    return { ...toDepositResponse(token, deposit), account_id: body.account_id };
  },
});

const rescan = controlEndpoint({
  method: "POST",
  path: "/v1/admin/token/rescan",
  permission: "operator.change",
  audit: { action: "token.rescan", details: ({ body }) => body },
  status: 202,
  tag: "Operator",
  summary: "Read the chain again from a block",
  description: "Payments that are recorded stay as they are; only missing ones are added.",
  faults: ["not_found"],
  body: z.object({ from_block: z.int().min(0) }),
  response: z.object({ from_block: z.number() }),
  async handle({ services, body }) {
    const block = await tokenServices(services).deposits.rewind(BigInt(body.from_block));
    if (block === undefined) {
      throw new Fault(
        "invalid_request",
        "The chain was not read as far as this block. `next_block` is the newest one.",
        {
          param: "from_block",
        },
      );
    }
    return { from_block: Number(block) };
  },
});

export const tokenEndpoints: readonly Endpoint[] = [readToken, listDeposits];
export const operatorTokenEndpoints: readonly Endpoint[] = [readTreasury, listAllDeposits, creditDeposit, rescan];
