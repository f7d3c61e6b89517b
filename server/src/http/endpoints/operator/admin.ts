import { DEFAULT_ALERT_MARKS } from "@trunkline/core/alerts.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { amountOf, credits } from "@trunkline/core/field-schemas--money.ts";
import { balanceLot } from "@trunkline/core/funds-pool.ts";
import { isId, newId } from "@trunkline/core/id.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { storable } from "@trunkline/core/storable.ts";
import { z } from "zod";
import type { House } from "../../../app/services.ts";
import type { Account } from "../../../identity/organisations/account.ts";
import type { Customer } from "../../../store/identity/customers.ts";
import { keyDraft, keyShown, keyTermsOf, keyToWire } from "../../responses/api-key.ts";
import { control, type Endpoint } from "../endpoint.ts";

const account = z.object({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  operator: z.boolean(),
  created_at: z.string(),
});

const createAccount = control({
  method: "POST",
  path: "/v1/admin/accounts",
  power: "operator.change",
  deed: { action: "account.create" },
  status: 201,
  tag: "Operator",
  summary: "Open an account",
  description: "`provider` is the name under which the account's models appear.",
  faults: ["conflict"],
  body: z.object({
    name: storable(z.string().trim().min(1).max(128)),
    provider: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{1,63}$/, "must be 2 to 64 of a-z 0-9 -")
      .optional(),
  }),
  answer: account,
  async handle({ house, body }) {
    const id = newId();
    const provider = body.provider ?? `account-${id.slice(-12)}`;
    const created =
      provider === "builtin"
        ? undefined
        : await house.accounts.create({
            id,
            name: body.name,
            provider,
            operator: false,
            strategy: undefined,
            keepsContent: false,
            timeZone: "UTC",
            alerts: DEFAULT_ALERT_MARKS,
            createdAt: new Date(),
          });
    if (created === undefined)
      throw new Fault("conflict", `The provider name "${provider}" is taken. Choose another.`, {
        param: "provider",
      });
    return accountToWire(created);
  },
});

const grant = control({
  method: "POST",
  path: "/v1/admin/accounts/:id/grants",
  power: "operator.change",
  deed: {
    action: "account.grant",
    accountOf: ({ params }) => params.id,
    details: ({ body }) => ({ amount: body.amount, memo: body.memo }),
  },
  status: 201,
  tag: "Operator",
  summary: "Give credits to an account",
  faults: ["not_found", "conflict"],
  body: z.object({
    amount: credits(0.000000001, 1_000_000),
    memo: storable(z.string().max(256)).default("operator grant"),
  }),
  answer: z.object({ balance: z.number() }),
  async handle({ house, params, body }) {
    const { id } = await findOpenAccount(house, params.id);
    await house.accounts.grant(id, amountOf(body.amount), body.memo);
    const { total } = await house.ledger.look(balanceLot(id));
    return { balance: toCredits(total) };
  },
});

const createAccountKey = control({
  method: "POST",
  path: "/v1/admin/accounts/:id/keys",
  power: "operator.change",
  deed: {
    action: "key.create",
    accountOf: ({ params }) => params.id,
    details: ({ body }) => ({ scopes: body.scopes }),
  },
  status: 201,
  tag: "Operator",
  summary: "Make a key for an account",
  faults: ["not_found", "conflict"],
  body: keyDraft,
  answer: keyShown.extend({ key: z.string() }),
  async handle({ house, caller, params, body }) {
    const target = await findOpenAccount(house, params.id);
    if (!target.operator && body.scopes.includes("admin")) {
      throw new Fault("invalid_request", "The scope `admin` is the operator's alone.", { param: "scopes" });
    }
    const { key, secret } = await house.keys.create(caller, keyTermsOf(body), target.id);
    return { ...keyToWire(key), key: secret };
  },
});

/** An account that can still be given something. */
async function findOpenAccount(house: House, id: string | undefined): Promise<Customer> {
  const found = id !== undefined && isId(id) ? await house.customers.find(id) : undefined;
  if (found === undefined)
    throw new Fault("not_found", "There is no such account. List them with GET /v1/admin/accounts.");
  if (found.closed_at !== null)
    throw new Fault("conflict", "This account is closed. Nothing can be added to it.");
  return found;
}

function accountToWire({ id, name, provider, operator, createdAt }: Account) {
  return { id, name, provider, operator, created_at: createdAt.toISOString() };
}

export const adminEndpoints: readonly Endpoint[] = [createAccount, grant, createAccountKey];
