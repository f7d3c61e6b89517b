import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { refuseExpiringKey } from "@trunkline/core/permissions.ts";
import type { ApiKeySettings } from "../keys/api-key-settings.ts";
import type { ApiKeys, ApiKeyWithUsage } from "../keys/api-keys.ts";
import type { IssuerClient } from "../sso/issuer-fetch.ts";
import { requireIssuerUrl } from "../sso/sso-settings.ts";
import { tooOpen, type WorkloadTrust, type WorkloadTrustDraft, type WorkloadTrustStore } from "./workload-trust.ts";

const TRUSTS_MAX = 20;

/**
 * Service accounts: keys that belong to no person. They have no lasting secret; workloads that an account trusts get
 * short-lived ones. All of them share the account's budget and rate.
 */
export class ServiceAccounts {
  readonly #apiKeys: ApiKeys;
  readonly #trusts: WorkloadTrustStore;
  readonly #issuers: IssuerClient;

  constructor(apiKeys: ApiKeys, trusts: WorkloadTrustStore, issuers: IssuerClient) {
    this.#apiKeys = apiKeys;
    this.#trusts = trusts;
    this.#issuers = issuers;
  }

  create(caller: Caller, terms: ApiKeySettings): Promise<ApiKeyWithUsage> {
    return this.#apiKeys.createServiceAccount(caller, terms);
  }

  list(caller: Caller, limit: number, cursor: string | undefined): Promise<ApiKeyWithUsage[]> {
    const filter = { state: undefined, search: undefined, serviceAccounts: true };
    return this.#apiKeys.list(caller, filter, limit, cursor);
  }

  async find(caller: Caller, id: string): Promise<ApiKeyWithUsage> {
    const found = await this.#apiKeys.find(caller, id);
    if (found.serviceAccount) return found;
    throw new Fault("not_found", "There is no such service account. List yours with GET /v1/service-accounts.");
  }

  async change(caller: Caller, id: string, change: Partial<ApiKeySettings>): Promise<ApiKeyWithUsage> {
    await this.find(caller, id);
    return this.#apiKeys.change(caller, id, change);
  }

  /** Its secrets end with it. */
  async remove(caller: Caller, id: string): Promise<ApiKeyWithUsage> {
    const found = await this.find(caller, id);
    await this.#apiKeys.revoke(caller, id);
    await this.#trusts.removeAll(caller.accountId, id);
    return found;
  }

  async listTrusts(caller: Caller, id: string): Promise<WorkloadTrust[]> {
    await this.find(caller, id);
    return this.#trusts.list(caller.accountId, id);
  }

  /** Only for those who could have made the account themselves: a trust gives away all that it may do. */
  async addTrust(caller: Caller, id: string, draft: WorkloadTrustDraft): Promise<WorkloadTrust> {
    await this.find(caller, id);
    refuseExpiringKey(caller);
    await this.#apiKeys.requireControl(caller, id);
    requireIssuerUrl(this.#issuers, draft.issuer);
    const problem = tooOpen(draft);
    if (problem !== undefined) throw new Fault("invalid_request", problem, { param: "conditions" });
    if ((await this.#trusts.list(caller.accountId, id)).length >= TRUSTS_MAX)
      throw new Fault("conflict", `A service account has at most ${TRUSTS_MAX} trusts. Remove one first.`);
    const trustId = newId();
    await this.#trusts.create(caller.accountId, id, trustId, draft);
    const made = (await this.#trusts.list(caller.accountId, id)).find((trust) => trust.id === trustId);
    if (made === undefined) throw new Error("A trust vanished while it was made.");
    return made;
  }

  /** Secrets that it gave live on until they end by themselves. */
  async removeTrust(caller: Caller, id: string, trustId: string): Promise<void> {
    await this.find(caller, id);
    if (!(await this.#trusts.remove(caller.accountId, id, trustId)))
      throw new Fault("not_found", "This service account has no such trust.");
  }
}
