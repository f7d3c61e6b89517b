import type { Caller } from "@trunkline/core/caller.ts";
import { truncateText } from "@trunkline/core/code-points.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import {
  type CallLimits,
  DEFAULT_CALL_LIMITS,
  fullNameOf,
  type Model,
  type ModelState,
  type NextPrice,
  type Price,
  type PricedModel,
} from "@trunkline/core/model.ts";
import { isPriceRise, lowerPrice } from "@trunkline/core/price.ts";
import {
  type ModelCatalogue,
  ModelNameTaken,
  type ModelStore,
  type NewModel,
  type RegisteredModel,
} from "./model-catalogue.ts";
import {
  applyPriceChange,
  type DraftProblem,
  type ModelDraft,
  problemIn,
  refuseCallLimits,
  refuseDeclaredModel,
  refuseLowerDiscount,
  refuseMissingCredential,
  refuseTrafficShare,
  refuseUnsupportedType,
} from "./model-validation.ts";

/** The fields of a model that the service sets, not its provider. */
type ServiceField =
  | "id"
  | "provider"
  | "name"
  | "accountId"
  | "thirdParty"
  | "mayDialPrivate"
  | "state"
  | "price"
  | "nextPrice"
  | "limits";

/** The fields of a model that its provider sets. */
export interface ModelTerms extends Omit<Model, ServiceField> {
  readonly price: Omit<Price, "version">;
  readonly limits: Partial<CallLimits>;
}

/** The fields to change. Prices that are not given stay as they are. */
export type ModelChange = Partial<Omit<ModelTerms, "price">> & {
  readonly price?: Partial<ModelTerms["price"]>;
};

/** The requests that a model has served so far. */
export interface OutcomeCounts {
  readonly requests: number;
  readonly errors: number;
}

const PROMOTION_REQUESTS_MIN = 100;
const PROMOTION_ERROR_SHARE_MAX = 0.05;

/** How long before it holds a price rise of another account's model is announced. */
interface PriceNotice {
  readonly noticeMs: number;
  readonly now: () => number;
}

/** Registers, changes and withdraws models. */
export class ModelRegistry {
  readonly #store: ModelStore;
  readonly #catalogue: ModelCatalogue;
  /** A sentence that says why a URL can't be an endpoint; undefined if it can. */
  readonly #checkEndpoint: (url: string, mayDialPrivate: boolean) => Promise<string | undefined>;

  readonly #priceNotice: PriceNotice;

  constructor(
    store: ModelStore,
    catalogue: ModelCatalogue,
    checkEndpoint: (url: string, mayDialPrivate: boolean) => Promise<string | undefined>,
    priceNotice: PriceNotice = { noticeMs: 0, now: Date.now },
  ) {
    this.#priceNotice = priceNotice;
    this.#store = store;
    this.#catalogue = catalogue;
    this.#checkEndpoint = checkEndpoint;
  }

  async register(caller: Caller, name: string, terms: ModelTerms): Promise<RegisteredModel> {
    this.#refuseTaken(caller, name);
    refuseTrafficShare(caller, terms);
    refuseCallLimits(caller, terms.limits);
    await this.#refuseInvalid(terms, caller.scopes.has("admin"));
    const { model, next } = await this.#newModel(caller, name, terms);
    if (!(await this.#store.insert(model, next))) throw nameTakenFault(name);
    return this.#afterChange(caller, name);
  }

  /** Registers models of one endpoint: all of them or, where one is refused, none. */
  async registerAll(
    caller: Caller,
    entries: readonly { readonly name: string; readonly terms: ModelTerms }[],
  ): Promise<readonly RegisteredModel[]> {
    const names = new Set<string>();
    for (const [index, { name, terms }] of entries.entries()) {
      if (names.has(name))
        throw new Fault("invalid_request", `"${name}" is in the list twice.`, { param: `models[${index}].name` });
      names.add(name);
      this.#refuseTaken(caller, name, `models[${index}].name`);
      try {
        refuseUnsupportedType(terms.wire, terms.type);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        throw new Fault(error.type, error.message, { param: `models[${index}].type` });
      }
    }
    // They share their endpoint and its credential.
    const [first] = entries;
    if (first !== undefined) await this.#refuseInvalid(first.terms, caller.scopes.has("admin"));
    const models: NewModel[] = [];
    for (const { name, terms } of entries) models.push(await this.#newModel(caller, name, terms));
    try {
      await this.#store.insertAll(models);
    } catch (error) {
      if (!(error instanceof ModelNameTaken)) throw error;
      throw nameTakenFault(
        error.modelName,
        `models[${entries.findIndex(({ name }) => name === error.modelName)}].name`,
      );
    }
    await this.#catalogue.reload();
    return entries.map(({ name }) => this.find(caller, name));
  }

  async #newModel(caller: Caller, name: string, terms: ModelTerms): Promise<NewModel> {
    const model: RegisteredModel & PricedModel = {
      ...terms,
      id: newId(),
      accountId: caller.accountId,
      thirdParty: !caller.operator || undefined,
      provider: caller.provider,
      name,
      mayDialPrivate: caller.scopes.has("admin"),
      price: { version: "new", ...terms.price },
      limits: { ...DEFAULT_CALL_LIMITS, ...terms.limits },
      state: caller.operator ? "active" : "pending",
      declared: false,
      blockedReason: undefined,
      createdAt: new Date(),
    };
    // Withdrawing a model and registering it again is no way around the notice.
    const since = new Date(this.#priceNotice.now() - this.#priceNotice.noticeMs);
    const before = model.thirdParty === true ? await this.#store.withdrawnPrice(model, since) : undefined;
    const { price = model.price, next } = this.#announce(model, before, model.price);
    return { model: { ...model, price }, next };
  }

  /** Why a registration or a change would be refused, apart from the syntax of its fields. */
  async validate(
    caller: Caller,
    draft: ModelDraft,
    change: ModelChange,
    model?: RegisteredModel,
  ): Promise<DraftProblem[]> {
    const { name, endpoint } = draft;
    const type = draft.type ?? model?.type;
    const dropsCredential = model !== undefined && movesCredential(model, change);
    const hasCredential = draft.hasCredential ?? (model?.credential !== undefined && !dropsCredential);
    const authType = draft.authType ?? model?.authType ?? (hasCredential ? "bearer" : "none");
    const draftProblems = await Promise.all([
      problemIn(() => {
        if (model !== undefined) refuseDeclaredModel(model);
        else if (name !== undefined) this.#refuseTaken(caller, name);
      }),
      problemIn(() => refuseTrafficShare(caller, change)),
      problemIn(() => refuseCallLimits(caller, change.limits)),
      problemIn(() => model !== undefined && refuseLowerDiscount(model, change)),
      problemIn(() => refuseMissingCredential(authType, hasCredential, dropsCredential)),
      problemIn(() => type !== undefined && refuseUnsupportedType(draft.wire ?? model?.wire ?? "trunkline", type)),
      problemIn(() => endpoint !== undefined && this.#refuseEndpoint(endpoint, caller.scopes.has("admin"))),
      problemIn(() => model !== undefined && applyPriceChange(model, change)),
    ]);
    return draftProblems.flatMap((draftProblem) => draftProblem ?? []);
  }

  list(caller: Caller): readonly RegisteredModel[] {
    return this.#catalogue.registeredBy(caller.accountId);
  }

  find(caller: Caller, name: string): RegisteredModel {
    const own = this.#catalogue.registeredBy(caller.accountId);
    // The operator may declare one name under several providers; the full name tells them apart.
    const model =
      own.find((known) => fullNameOf(known) === name || (known.provider === caller.provider && known.name === name)) ??
      own.find((known) => known.name === name);
    if (model === undefined)
      throw new Fault(
        "not_found",
        `You have no model "${truncateText(name, 128)}". List yours with GET /v1/provider/models.`,
      );
    return model;
  }

  async change(
    caller: Caller,
    name: string,
    terms: ModelChange,
    state: "active" | "suspended" | undefined,
  ): Promise<RegisteredModel> {
    const model = this.#findChangeable(caller, name);
    refuseTrafficShare(caller, terms);
    refuseCallLimits(caller, terms.limits);
    // Removing a field, such as the upstream name, also changes where calls go.
    const movesEndpoint = (["endpoint", "authType", "credential", "wire", "upstreamModel"] as const).some(
      (term) => term in terms && terms[term] !== model[term],
    );
    refuseLowerDiscount(model, terms);
    const { price, next } = this.#announce(model, model.price, applyPriceChange(model, terms));
    const mayDialPrivate = terms.endpoint === undefined ? model.mayDialPrivate : caller.scopes.has("admin");
    const isMoved = movesCredential(model, terms);
    const changed: RegisteredModel = {
      ...model,
      // The stored credential is for the old endpoint alone: a new one must bring its own.
      ...(isMoved ? { credential: undefined } : {}),
      ...terms,
      mayDialPrivate,
      price,
      limits: { ...model.limits, ...terms.limits },
      state: stateAfter(model, caller, caller.operator ? isMoved : movesEndpoint, state),
    };
    await this.#refuseInvalid(changed, mayDialPrivate, isMoved);
    await this.#store.update(changed, next);
    if ("weight" in terms || "canaryShare" in terms) await this.#store.setTrafficShare(model.id, changed);
    return this.#afterChange(caller, name);
  }

  async withdraw(caller: Caller, name: string): Promise<void> {
    const model = this.#findChangeable(caller, name);
    // Otherwise the owner could register it again at once.
    if (model.state === "blocked")
      throw new Fault("conflict", `The service's operator has suspended "${name}". It can't be withdrawn now.`);
    await this.#store.remove(model.id);
    await this.#catalogue.reload();
  }

  /** A pending model that passed its conformance check goes on probation; the operator's own is routed again. */
  async onCheckPassed({ operator }: Caller, model: RegisteredModel): Promise<void> {
    if (model.state !== "pending") return;
    await this.#store.update({ ...model, state: operator ? "active" : "probation", price: undefined });
    await this.#catalogue.reload();
  }

  /** Activates models on probation that have served enough requests with few enough errors. */
  async promoteProven(countsOf: (model: RegisteredModel) => Promise<OutcomeCounts>): Promise<void> {
    for (const model of this.#catalogue.onProbation()) {
      const { requests, errors } = await countsOf(model);
      if (requests < PROMOTION_REQUESTS_MIN || errors > requests * PROMOTION_ERROR_SHARE_MAX) continue;
      await this.#store.update({ ...model, state: "active", price: undefined });
      await this.#catalogue.reload();
    }
  }

  /** The operator activates any account's model without its check or probation. */
  approve(id: string): Promise<RegisteredModel> {
    return this.#setState(id, { state: "active", blockedReason: undefined });
  }

  /** The operator blocks any account's model until the operator approves it. */
  block(id: string, reason: string): Promise<RegisteredModel> {
    return this.#setState(id, { state: "blocked", blockedReason: reason });
  }

  /** The operator sets the traffic share of any account's model. Fields that are not given stay as they are. */
  async setTrafficShare(id: string, share: Pick<Model, "weight" | "canaryShare">): Promise<RegisteredModel> {
    await this.#store.setTrafficShare(id, { ...this.findAny(id), ...share });
    await this.#catalogue.reload();
    return this.findAny(id);
  }

  /** A model of any account, for the operator. */
  findAny(id: string): RegisteredModel {
    const model = this.#catalogue.registered().find((known) => known.id === id);
    if (model === undefined)
      throw new Fault("not_found", "There is no such model. List them with GET /v1/admin/models.");
    return model;
  }

  async #setState(id: string, change: Pick<RegisteredModel, "state" | "blockedReason">): Promise<RegisteredModel> {
    await this.#store.setState(this.findAny(id).id, change);
    await this.#catalogue.reload();
    return this.findAny(id);
  }

  /** The price that holds at once, and the one that is only announced: of another account's model, a rise. */
  #announce(model: Model, before: Price | undefined, after: Price | undefined): { price?: Price; next?: NextPrice } {
    if (after === undefined) return {};
    const { noticeMs, now } = this.#priceNotice;
    if (model.thirdParty !== true || before === undefined || noticeMs === 0 || !isPriceRise(before, after))
      return { price: after };
    return { price: lowerPrice(before, after), next: { price: after, effectiveAt: new Date(now() + noticeMs) } };
  }

  #findChangeable(caller: Caller, name: string): RegisteredModel {
    const model = this.find(caller, name);
    refuseDeclaredModel(model);
    return model;
  }

  #refuseTaken(caller: Caller, name: string, param = "name"): void {
    const own = this.#catalogue.registeredBy(caller.accountId);
    if (own.some((model) => model.provider === caller.provider && model.name === name))
      throw nameTakenFault(name, param);
  }

  async #refuseInvalid(
    terms: Pick<ModelTerms, "endpoint" | "authType" | "credential" | "wire" | "type">,
    mayDialPrivate: boolean,
    isMoved = false,
  ): Promise<void> {
    refuseUnsupportedType(terms.wire, terms.type);
    await this.#refuseEndpoint(terms.endpoint, mayDialPrivate);
    refuseMissingCredential(terms.authType, terms.credential !== undefined, isMoved);
  }

  async #refuseEndpoint(endpoint: string, mayDialPrivate: boolean): Promise<void> {
    const problem = await this.#checkEndpoint(endpoint, mayDialPrivate);
    if (problem !== undefined) throw new Fault("invalid_request", problem, { param: "endpoint" });
  }

  async #afterChange(caller: Caller, name: string): Promise<RegisteredModel> {
    await this.#catalogue.reload();
    return this.find(caller, name);
  }
}

/** Whether a change sends calls to another server or authenticates them in another way. */
function movesCredential(model: RegisteredModel, { endpoint, wire, authType }: ModelChange): boolean {
  return (
    (endpoint !== undefined && originOf(endpoint) !== originOf(model.endpoint)) ||
    (wire !== undefined && wire !== model.wire) ||
    (authType !== undefined && authType !== model.authType)
  );
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

/**
 * An endpoint that moved or was suspended is checked again before it is routed. Only an administrator of the operator's
 * may activate one without its check.
 */
function stateAfter(
  model: RegisteredModel,
  caller: Caller,
  isMoved: boolean,
  requested: "active" | "suspended" | undefined,
): ModelState {
  // Only the operator can undo the operator's block.
  if (model.state === "blocked") return "blocked";
  if (requested === "suspended") return "suspended";
  if (requested === "active" && caller.operator && caller.scopes.has("admin")) return "active";
  const isSuspended = model.state === "suspended";
  if (isSuspended && requested === undefined) return "suspended";
  return isMoved || isSuspended ? "pending" : model.state;
}

function nameTakenFault(name: string, param = "name"): Fault {
  return new Fault(
    "conflict",
    `You already offer a model "${name}". Change it with PATCH /v1/provider/models/${name}.`,
    { param },
  );
}
