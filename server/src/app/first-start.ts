import { isDeepStrictEqual } from "node:util";
import { DEFAULT_ALERT_THRESHOLDS } from "@trunkline/core/alerts.ts";
import { SCOPES } from "@trunkline/core/caller.ts";
import { StartupError } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { DEFAULT_CALL_LIMITS, type PricedModel } from "@trunkline/core/model.ts";
import { NANO_PER_CREDIT } from "@trunkline/core/money.ts";
import type { RegisteredModel } from "@trunkline/providers/catalogue/model-catalogue.ts";
import { KEPT_PROVIDER_NAMES } from "@trunkline/providers/discovery/provider-names.ts";
import { hashOfKey, hintOfKey, newKeySecret } from "../identity/keys/keyring.ts";
import { type Account, defaultProviderName } from "../identity/organisations/organisations.ts";
import type { DeclaredModel } from "./config/declared-models.ts";
import type { Services } from "./services.ts";

const FIRST_CREDITS = 1_000n * NANO_PER_CREDIT;
const OPERATOR_REQUESTS_PER_MINUTE = 1_000_000;
const OPERATOR_PROVIDER = "operator";

/** Makes sure that the operator, the declared models and the bootstrap key exist. */
export function prepareOperator(services: Services): Promise<void> {
  return services.lifecycle.runExclusive(async () => {
    const operator = await ensureOperator(services);
    await freeKeptProviderNames(services);
    await declareModels(services, operator, services.config.models);
    const found = services.config.discovery.providers.map(({ id }) => id);
    await services.providers.discovery.addModels(operator.id, [
      ...new Set([...found, ...services.providers.providerKeys.providers()]),
    ]);
    const { bootstrapKey } = services.config;
    if (bootstrapKey === undefined) return;
    const hash = hashOfKey(bootstrapKey.reveal());
    services.identity.keyring.allowAnyFormat(hash);
    await services.identity.apiKeyStore.ensure(newId(), operator.id, OPERATOR_KEY, {
      hash,
      hint: hintOfKey(bootstrapKey.reveal()),
    });
  });
}

/** Makes the declared models those of a configuration that was read again. Throws StartupError, with nothing changed, where it can't. */
export function redeclareModels(services: Services, models: readonly DeclaredModel[]): Promise<void> {
  return services.lifecycle.runExclusive(async () => declareModels(services, await ensureOperator(services), models));
}

/** Makes the operator's first key, to be shown once. Returns undefined if the operator has a key already. */
export function makeFirstKey(services: Services): Promise<string | undefined> {
  return services.lifecycle.runExclusive(async () => {
    const operator = await ensureOperator(services);
    if (await services.identity.apiKeyStore.hasAny(operator.id)) return undefined;
    const secret = newKeySecret();
    await services.identity.apiKeyStore.create(newId(), operator.id, OPERATOR_KEY, {
      hash: hashOfKey(secret),
      hint: hintOfKey(secret),
    });
    return secret;
  });
}

/** Makes the link by which the operator's first owner logs in, and revokes older ones. Returns its secret, or undefined if there is an owner. */
export function makeFirstLogin(services: Services): Promise<string | undefined> {
  return services.lifecycle.runExclusive(async () => {
    await ensureOperator(services);
    return (await services.identity.people.operatorHasMembers())
      ? undefined
      : services.identity.signUp.createFirstLoginLink();
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
  const known = await services.identity.accounts.findOperator();
  if (known !== undefined) return known;
  const account: Account = {
    id: newId(),
    name: "Operator",
    provider: OPERATOR_PROVIDER,
    operator: true,
    strategy: undefined,
    keepsContent: false,
    thirdPartyModels: false,
    timeZone: "UTC",
    alerts: DEFAULT_ALERT_THRESHOLDS,
    createdAt: new Date(),
  };
  await services.identity.accounts.createOperator(account, FIRST_CREDITS);
  return account;
}

/** Registers, changes and withdraws models so that they are those that the configuration file declares. */
async function declareModels(services: Services, operator: Account, models: readonly DeclaredModel[]): Promise<void> {
  await refuseForeignProviders(services, models);
  // Another instance may just have declared them.
  await services.providers.catalogue.reload();
  const { catalogue, modelStore } = services.providers;
  const before = catalogue.registeredBy(operator.id);
  const declaredNames = new Set(models.map(nameOf));
  for (const model of before)
    if (model.declared && model.discovered !== true && !declaredNames.has(nameOf(model)))
      await modelStore.remove(model.id);
  const knownByName = new Map(before.map((model) => [nameOf(model), model]));
  const changed = models
    .map((declared) => ({ declared, known: knownByName.get(nameOf(declared)) }))
    .map(({ declared, known }) => ({ known, model: declaredModel(operator, declared, known) }))
    .filter(({ known, model }) => known === undefined || !isKnownAs(known, model));
  // At once: each change by itself would have all models read again.
  await modelStore.upsertAll(changed.map(({ model }) => model));
  for (const { known, model } of changed) {
    if (known === undefined) continue;
    // Where the file names no traffic share, the one that the operator has set stays.
    const { weight = known.weight, canaryShare = known.canaryShare } = model;
    if (weight !== known.weight || canaryShare !== known.canaryShare)
      await modelStore.setTrafficShare(known.id, { weight, canaryShare });
  }
  await catalogue.reload();
}

/** A provider's name has no slash. */
function nameOf({ provider, name }: { readonly provider: string; readonly name: string }): string {
  return `${provider}/${name}`;
}

/** Accounts that got a known provider's name, or the service's own, before such names were kept lose it, with their models. */
async function freeKeptProviderNames({ identity, log }: Services): Promise<void> {
  for (const { id, name, provider } of await identity.accounts.listByProviders(KEPT_PROVIDER_NAMES)) {
    const freed = defaultProviderName(id);
    await identity.accounts.renameProvider(id, freed);
    await identity.auditLog.record({
      accountId: id,
      actor: { kind: "service", id: undefined, name: "The service" },
      action: "organisation.change",
      subjectId: id,
      subjectName: name,
      details: { provider: freed, before: provider },
      address: undefined,
    });
    log.warn(
      { account: id, name, before: provider, provider: freed },
      "An account had a known provider's name. It and its models have a neutral one now.",
    );
  }
}

/** An account sees the usage of all models under its provider's name, so that name may not be the operator's too. */
async function refuseForeignProviders(services: Services, models: readonly DeclaredModel[]): Promise<void> {
  for (const provider of new Set(models.map((declared) => declared.provider))) {
    const owner = await services.identity.accounts.findByProvider(provider);
    if (owner === undefined || owner.operator) continue;
    throw new StartupError(
      `The configuration file declares models of the provider "${provider}", and that name belongs to the account "${owner.name}" (${owner.id}). Choose another provider name in the file.`,
    );
  }
}

function declaredModel(
  operator: Account,
  { provider, name, terms }: DeclaredModel,
  known: RegisteredModel | undefined,
): RegisteredModel & PricedModel {
  return {
    ...terms,
    id: known?.id ?? newId(),
    accountId: operator.id,
    provider,
    name,
    mayDialPrivate: true,
    price: { version: known?.price?.version ?? "new", ...terms.price },
    limits: { ...DEFAULT_CALL_LIMITS, ...terms.limits },
    state: known?.state === "blocked" ? "blocked" : "active",
    declared: true,
    // Declared models need no approval. A block that the operator set in the dashboard stays.
    blockedReason: known?.blockedReason,
    createdAt: known?.createdAt ?? new Date(),
  };
}

/** Whether a model is stored as it is declared, so that nothing has to be written. */
function isKnownAs(known: RegisteredModel, model: RegisteredModel & PricedModel): boolean {
  // A price that was announced is taken back.
  if (known.nextPrice !== undefined) return false;
  // A secret shows its value only where it is asked to.
  if (known.credential?.reveal() !== model.credential?.reveal()) return false;
  const fields = new Set([...Object.keys(known), ...Object.keys(model)]);
  for (const field of fields) {
    const declared: unknown = Reflect.get(model, field);
    if (NOT_DECLARED.has(field) || (declared === undefined && KEPT_FIELDS.has(field))) continue;
    if (!isDeepStrictEqual(declared, Reflect.get(known, field))) return false;
  }
  return true;
}

/** Fields of a model that a declaration does not write, or that are compared otherwise. */
const NOT_DECLARED: ReadonlySet<string> = new Set<keyof RegisteredModel>(["credential", "nextPrice", "thirdParty"]);
/** Fields that stay as they are where a declaration does not name them. */
const KEPT_FIELDS: ReadonlySet<string> = new Set<keyof RegisteredModel>(["weight", "canaryShare", "ownKeyPrice"]);
