import { setMaxListeners } from "node:events";
import type { Secret } from "@trunkline/core/secret.ts";
import type { ModelCatalogue } from "../catalogue/model-catalogue.ts";
import type { Dialer } from "../dialer/dialer.ts";
import type { OfferedModelKeys, ProviderBase } from "./discovery.ts";
import { KNOWN_PROVIDERS } from "./known-providers.ts";
import { listModels, type UnlistedModels } from "./list-models.ts";
import { findLocalServers, type LocalServer, localModelsOf } from "./local-servers.ts";

const LOCAL_INTERVAL_MS = 60_000;
const PROVIDER_INTERVAL_MS = 3_600_000;

interface DiscoveryScheduleOptions {
  readonly dialer: Dialer;
  readonly catalogue: ModelCatalogue;
  readonly offered: OfferedModelKeys;
  readonly providers: readonly { readonly id: string; readonly keys: readonly Secret[] }[];
  readonly bases: ReadonlyMap<string, ProviderBase>;
  readonly asksProviders: boolean;
  readonly localServers: readonly string[];
  /** Called when the programs on this machine have changed. */
  readonly onLocal: (servers: readonly LocalServer[]) => void;
  /** Called when a provider's list can't be read: `detail` follows its name in a sentence. */
  readonly onUnlisted: (providerId: string, detail: string) => void;
}

/** Checks periodically for what changes by itself: models on this machine, and the models that our keys may use. */
export class DiscoverySchedule {
  readonly #parts: DiscoveryScheduleOptions;
  readonly #stopping = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  #running: Promise<unknown> = Promise.resolve();
  /** The last result, to report only changes. */
  #lastServers = "[]";
  readonly #unlisted = new Map<string, UnlistedModels>();

  constructor(parts: DiscoveryScheduleOptions) {
    this.#parts = parts;
    // Every call of a round listens to the signal, and there are as many as there are addresses.
    setMaxListeners(0, this.#stopping.signal);
  }

  /** Starts the rounds. Resolves with the programs that run on this machine now. */
  start(operatorId: string): Promise<readonly LocalServer[]> {
    this.#repeat(LOCAL_INTERVAL_MS, () => this.refreshLocalServers(operatorId));
    this.#repeat(PROVIDER_INTERVAL_MS, () => this.refreshListedModels());
    const first = this.refreshLocalServers(operatorId);
    this.#running = Promise.allSettled([first, this.refreshListedModels()]);
    return first;
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopping.abort();
    await this.#running;
  }

  /** Registers the models that run on this machine, and removes those that no longer do. */
  async refreshLocalServers(operatorId: string): Promise<readonly LocalServer[]> {
    const { dialer, catalogue, localServers, onLocal } = this.#parts;
    if (localServers.length === 0) return [];
    const servers = await findLocalServers(dialer, localServers, this.#stopping.signal);
    const found = JSON.stringify(servers);
    if (found === this.#lastServers || this.#stopping.signal.aborted) return servers;
    this.#lastServers = found;
    catalogue.setLocalModels(servers.flatMap((server) => localModelsOf(server, operatorId)));
    onLocal(servers);
    return servers;
  }

  /**
   * Limits what is offered to the models that our keys may use. A provider that does not answer keeps its previous
   * list.
   */
  async refreshListedModels(): Promise<void> {
    const { dialer, catalogue, offered, providers, bases, asksProviders } = this.#parts;
    if (!asksProviders) return;
    await Promise.all(
      providers.map(async ({ id, keys: [key] }) => {
        const provider = KNOWN_PROVIDERS.find((known) => known.id === id);
        const base = bases.get(id);
        if (provider === undefined || base === undefined || key === undefined) return;
        const names = await listModels(dialer, { provider, base, key }, this.#stopping.signal);
        if (this.#stopping.signal.aborted || names === undefined) return;
        if ("reason" in names) return this.#noteUnlisted(id, names);
        this.#unlisted.delete(id);
        offered.setListedModels(id, names);
      }),
    );
    catalogue.rebuild();
  }

  /** The providers whose lists could not be read at the last attempt, and why. */
  get unlisted(): ReadonlyMap<string, UnlistedModels> {
    return this.#unlisted;
  }

  #noteUnlisted(id: string, why: UnlistedModels): void {
    // Once for each time that the reason changes.
    if (this.#unlisted.get(id)?.detail !== why.detail) this.#parts.onUnlisted(id, why.detail);
    this.#unlisted.set(id, why);
  }

  #repeat(ms: number, round: () => Promise<unknown>): void {
    const timer = setInterval(() => {
      this.#running = round();
    }, ms);
    timer.unref();
    this.#timers.push(timer);
  }
}
