import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findRunningPostgres, startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import { readPostmasterFile } from "@trunkline/local-postgres/orphaned-server.ts";
import { type Database, openDatabase } from "../server/src/store/database/database.ts";
import type { SeverableStore } from "../server/test/support/severable-store.ts";
import { type Ending, exchange } from "./exchange.ts";
import { Instance, PROGRAM } from "./instance.ts";
import { OwnPostgres } from "./own-postgres.ts";
import { ChaosProvider, MODELS } from "./provider.ts";

/** An account of the testbed, with its key. */
export interface Customer {
  readonly id: string;
  readonly key: string;
  readonly keyId: string;
}

export interface TestbedOptions {
  /** One runs on the embedded store; more share a PostgreSQL beside them. */
  readonly instances: number;
  /** Where the embedded store's data goes; otherwise into the testbed's own folder. */
  readonly dataDir?: string;
  /** Leaves the folder with the data and the logs behind. */
  readonly keep?: boolean;
  /** Models beside the usual ones, and limits that differ, as the configuration file has them. */
  readonly models?: readonly object[];
  readonly limits?: Readonly<Record<string, number>>;
  /** Puts something between the instances and a PostgreSQL beside them. */
  readonly reach?: SeverableStore["reach"];
  /** Starts another store than a PostgreSQL of the testbed's own, in a folder of the testbed. */
  readonly startStore?: (folder: string) => Promise<OtherStore>;
}

/** A store with a life of its own. */
export interface OtherStore {
  readonly url: string;
  stop(): Promise<void>;
}

const OPERATOR_KEY = "chaos-key-for-loopback-only";
const MANY = 1_000_000;

/** Everything that runs during a scenario, on loopback and in one temporary folder. Closed again whatever happens. */
export class Testbed {
  static readonly #open = new Set<Testbed>();
  static readonly #opening = new Set<Promise<Testbed>>();
  readonly folder: string;
  readonly provider: ChaosProvider;
  readonly postgres: OwnPostgres | undefined;
  readonly #otherStore: OtherStore | undefined;
  readonly instances: readonly Instance[];
  readonly agent = new Agent({ keepAlive: true });
  readonly #environment: Readonly<Record<string, string>>;
  readonly #dataDir: string;
  readonly #keep: boolean;
  #isClosed = false;

  private constructor(parts: {
    readonly folder: string;
    readonly provider: ChaosProvider;
    readonly postgres: OwnPostgres | undefined;
    readonly otherStore: OtherStore | undefined;
    readonly databaseUrl: string | undefined;
    readonly options: TestbedOptions;
  }) {
    const { folder, provider, postgres, otherStore, databaseUrl, options } = parts;
    this.folder = folder;
    this.provider = provider;
    this.postgres = postgres;
    this.#otherStore = otherStore;
    this.#keep = options.keep ?? false;
    this.#dataDir = options.dataDir ?? join(folder, "data");
    this.#environment = {
      TRUNKLINE_BOOTSTRAP_KEY: OPERATOR_KEY,
      TRUNKLINE_CONFIG: join(folder, "trunkline.json"),
      ...(databaseUrl === undefined
        ? { TRUNKLINE_DATA_DIR: this.#dataDir }
        : { DATABASE_URL: databaseUrl, TRUNKLINE_SECRET: "the secret of a chaos testbed" }),
    };
    this.instances = Array.from(
      { length: options.instances },
      (_, index) => new Instance(`instance-${index + 1}`, folder, this.#environment),
    );
    Testbed.#open.add(this);
  }

  /** A testbed with every instance up. */
  static async open(options: TestbedOptions): Promise<Testbed> {
    const opening = Testbed.#build(options);
    Testbed.#opening.add(opening);
    return opening.finally(() => Testbed.#opening.delete(opening));
  }

  static async #build(options: TestbedOptions): Promise<Testbed> {
    const folder = await mkdtemp(join(tmpdir(), "trunkline-chaos-"));
    // As root the server runs as another user, who must be able to pass through.
    await chmod(folder, 0o755);
    const provider = await ChaosProvider.start();
    await writeFile(join(folder, "trunkline.json"), JSON.stringify(configFor(provider, options)));
    const otherStore = await options.startStore?.(join(folder, "store"));
    const postgres =
      otherStore !== undefined || (options.instances === 1 && options.reach === undefined)
        ? undefined
        : await OwnPostgres.start(join(folder, "postgresql"));
    const databaseUrl = otherStore?.url ?? (await postgres?.urlBy(options.reach));
    const testbed = new Testbed({ folder, provider, postgres, otherStore, databaseUrl, options });
    try {
      const up = await Promise.all(testbed.instances.map((instance) => instance.start()));
      if (up.includes(false)) throw new Error(testbed.troubles.join("\n"));
      return testbed;
    } catch (error) {
      await testbed.close();
      throw error;
    }
  }

  /** Closes whatever is open or about to be, for when a run is broken off. */
  static async closeAll(): Promise<void> {
    await Promise.allSettled(Testbed.#opening);
    await Promise.all([...Testbed.#open].map((testbed) => testbed.close()));
  }

  /** What happened to the instances that must never happen. */
  get troubles(): string[] {
    return this.instances.flatMap(({ troubles }) => troubles);
  }

  /** The instances that listen now. */
  get up(): (Instance & { readonly url: string })[] {
    return this.instances.filter(
      (instance): instance is Instance & { readonly url: string } => instance.url !== undefined,
    );
  }

  /** Sends a request of the operator's, or with another key, and reads the answer as JSON. Anything but success throws. */
  async ask<Answer>(method: string, path: string, body?: unknown, key = OPERATOR_KEY, at = this.up[0]) {
    const ending: Ending | undefined =
      at === undefined ? undefined : await exchange(this.agent, { url: at.url, method, path, key, body });
    if (ending?.kind !== "answered" || ending.status >= 400)
      throw new Error(`${method} ${path}: ${ending?.kind} ${ending?.status} ${ending?.text}`);
    return (ending.text === "" ? undefined : JSON.parse(ending.text)) as Answer;
  }

  /** Opens an account with credits on it and makes a key for it. */
  async openCustomer(credits: number, terms: Readonly<Record<string, unknown>> = {}): Promise<Customer> {
    const { id } = await this.ask<{ id: string }>("POST", "/v1/admin/accounts", { name: "Customer" });
    await this.ask("POST", `/v1/admin/accounts/${id}/grants`, { amount: credits });
    const made = await this.ask<{ id: string; key: string }>("POST", `/v1/admin/accounts/${id}/keys`, {
      name: "Key",
      scopes: ["inference", "read", "manage"],
      requests_per_minute: MANY,
      ...terms,
    });
    return { id, key: made.key, keyId: made.id };
  }

  /** The ledger, to look into. */
  async openStore(): Promise<Database> {
    if (this.#otherStore !== undefined)
      return openDatabase({ connectionString: this.#otherStore.url }, () => undefined);
    const address = this.postgres?.connection ?? (await findRunningPostgres(this.#dataDir));
    if (address === undefined) throw new Error("No store runs.");
    return openDatabase(address, () => undefined);
  }

  /** Kills the embedded store, as the power does. */
  async killStore(): Promise<void> {
    const file = await readPostmasterFile(join(this.#dataDir, "postgres", "cluster"));
    if (file === undefined) throw new Error("There is no embedded store to kill.");
    process.kill(file.pid, "SIGKILL");
  }

  /** `trunkline audit`, as an operator types it. */
  audit(): Promise<{ readonly code: number; readonly said: string }> {
    const env = { PATH: process.env.PATH, HOME: this.folder, ...this.#environment };
    return new Promise((resolve) => {
      execFile(process.execPath, [PROGRAM, "audit"], { cwd: this.folder, env }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 2), said: stdout + stderr }),
      );
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    Testbed.#open.delete(this);
    await Promise.all(this.instances.map((instance) => instance.retire()));
    this.agent.destroy();
    await this.provider.stop();
    await this.postgres?.stop();
    await this.#otherStore?.stop();
    if (this.postgres === undefined && this.#otherStore === undefined) await this.#stopLeftover();
    if (!this.#keep) await rm(this.folder, { recursive: true, force: true });
  }

  /** A service that was killed leaves its PostgreSQL to the next start: this is the next start. */
  async #stopLeftover(): Promise<void> {
    const file = join(this.#dataDir, "postgres", "cluster", "postmaster.pid");
    const isLeft = await stat(file).then(
      () => true,
      () => false,
    );
    if (isLeft) await (await startEmbeddedPostgres({ dataDir: this.#dataDir, log: () => undefined })).stop();
  }
}

function configFor(provider: ChaosProvider, { models = [], limits = {} }: TestbedOptions) {
  const model = (name: (typeof MODELS)[number]) => ({
    name,
    type: "text",
    endpoint: provider.endpointOf(name),
    credential: "chaos-credential",
    pricing:
      name === "fixed"
        ? { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 1 }
        : { input_per_1k_tokens: 0.01, output_per_1k_tokens: 0.02 },
    capabilities: ["chat"],
    streaming: true,
    max_output_tokens: 400,
  });
  // No load balancer looks at the instances, so that a stop need not wait for one.
  return { models: [...MODELS.map(model), ...models], limits: { lame_duck_ms: 0, drain_ms: 10_000, ...limits } };
}
