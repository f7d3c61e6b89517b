import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_ALERT_THRESHOLDS } from "@trunkline/core/alerts.ts";
import { SCOPES } from "@trunkline/core/caller.ts";
import { StartupError } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { DEFAULT_CALL_LIMITS } from "@trunkline/core/model.ts";
import { NANO_PER_CREDIT } from "@trunkline/core/money.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { hashOfKey, hintOfKey, newKeySecret } from "../identity/keys/keyring.ts";
import type { Account } from "../identity/organisations/organisations.ts";
import type { DeclaredModel } from "./config/config.ts";
import type { Services } from "./services.ts";

const FIRST_CREDITS = 1_000n * NANO_PER_CREDIT;
const OPERATOR_REQUESTS_PER_MINUTE = 1_000_000;
const OPERATOR_PROVIDER = "operator";

/** Makes sure that the operator, the declared models and the key that the operator chose exist. */
export function prepareOperator(services: Services): Promise<void> {
  return services.runExclusive(async () => {
    const operator = await ensureOperator(services);
    await declareModels(services, operator);
    const found = services.config.discovery.providers.map(({ id }) => id);
    await services.discovery.addModels(operator.id, [...new Set([...found, ...services.providerKeys.providers()])]);
    const { bootstrapKey } = services.config;
    if (bootstrapKey === undefined) return;
    const hash = hashOfKey(bootstrapKey.reveal());
    services.keyring.allowAnyFormat(hash);
    await services.apiKeys.ensure(newId(), operator.id, OPERATOR_KEY, {
      hash,
      hint: hintOfKey(bootstrapKey.reveal()),
    });
  });
}

/** The very first start's key, to be shown once; undefined where the operator has one already. */
export function makeFirstKey(services: Services): Promise<string | undefined> {
  return services.runExclusive(async () => {
    const operator = await ensureOperator(services);
    if (await services.apiKeys.hasAny(operator.id)) return undefined;
    const secret = newKeySecret();
    await services.apiKeys.create(newId(), operator.id, OPERATOR_KEY, {
      hash: hashOfKey(secret),
      hint: hintOfKey(secret),
    });
    return secret;
  });
}

/** The secret of the link by which the operator's first owner comes in; undefined where there is one. Older links are dead. */
export function makeFirstLogin(services: Services): Promise<string | undefined> {
  return services.runExclusive(async () => {
    await ensureOperator(services);
    return (await services.people.operatorHasMembers()) ? undefined : services.identity.signUp.createFirstLoginLink();
  });
}

const OPERATOR_KEY = {
  name: "First key",
  scopes: SCOPES,
  expiresAt: undefined,
  requestsPerMinute: OPERATOR_REQUESTS_PER_MINUTE,
  budget: undefined,
  models: undefined,
  ips: undefined,
};

async function ensureOperator(services: Services): Promise<Account> {
  const known = await services.accounts.findOperator();
  if (known !== undefined) return known;
  const account: Account = {
    id: newId(),
    name: "Operator",
    provider: OPERATOR_PROVIDER,
    operator: true,
    strategy: undefined,
    keepsContent: false,
    timeZone: "UTC",
    alerts: DEFAULT_ALERT_THRESHOLDS,
    createdAt: new Date(),
  };
  await services.accounts.createOperator(account, FIRST_CREDITS);
  return account;
}

/** The configuration file is the truth about the models it declares: new ones are made, changed ones changed, dropped ones withdrawn. */
async function declareModels(services: Services, operator: Account): Promise<void> {
  await refuseForeignProviders(services);
  // Another instance may have been here a moment ago.
  await services.catalogue.reload();
  const before = services.catalogue.registeredBy(operator.id);
  const isDeclared = (model: { provider: string; name: string }) =>
    services.config.models.some((declared) => declared.provider === model.provider && declared.name === model.name);
  for (const model of before) {
    if (model.declared && model.discovered !== true && !isDeclared(model)) await services.modelStore.remove(model.id);
  }
  for (const declared of services.config.models) await declareModel(services, operator, declared);
  await services.catalogue.reload();
}

/** An account is shown all that was counted under its provider's name. */
async function refuseForeignProviders(services: Services): Promise<void> {
  for (const provider of new Set(services.config.models.map((declared) => declared.provider))) {
    const owner = await services.accounts.findByProvider(provider);
    if (owner === undefined || owner.operator) continue;
    throw new StartupError(
      `The configuration file declares models of the provider "${provider}", and that name belongs to the account "${owner.name}" (${owner.id}). Choose another provider name in the file.`,
    );
  }
}

async function declareModel(
  services: Services,
  operator: Account,
  { provider, name, terms }: DeclaredModel,
): Promise<void> {
  const known = services.catalogue
    .registeredBy(operator.id)
    .find((model) => model.provider === provider && model.name === name);
  const model = {
    ...terms,
    id: known?.id ?? newId(),
    accountId: operator.id,
    provider,
    name,
    mayDialPrivate: true,
    price: { version: known?.price?.version ?? "new", ...terms.price },
    limits: { ...DEFAULT_CALL_LIMITS, ...terms.limits },
    state: known?.state === "blocked" ? ("blocked" as const) : ("active" as const),
    declared: true,
    // What the file declares, the operator wants: a block in the dashboard outlives the next start all the same.
    blockedReason: known?.blockedReason,
    createdAt: known?.createdAt ?? new Date(),
  };
  if (known === undefined) {
    await services.modelStore.insert(model);
    return;
  }
  await services.modelStore.update(model);
  // What the file does not say of its share of the traffic stays as the operator has set it since.
  const { weight = known.weight, canaryShare = known.canaryShare } = terms;
  await services.modelStore.setTrafficShare(known.id, { weight, canaryShare });
}

/** The embedded store's own secret: made once, readable by this user alone. */
export async function ensureSecretFile(dataDir: string): Promise<Secret> {
  await mkdir(dataDir, { recursive: true });
  const path = join(dataDir, "secret");
  try {
    await writeFile(path, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  await chmod(path, 0o600);
  return new Secret((await readFile(path, "utf8")).trim());
}
