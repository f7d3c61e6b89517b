import { join } from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import { readPostmasterFile } from "@trunkline/local-postgres/orphaned-server.ts";
import type { SeverableStore } from "../server/test/support/severable-store.ts";

/** A PostgreSQL apart from the services, which can be stopped, killed and started again under them. */
export class OwnPostgres {
  readonly #dataDir: string;
  #server: EmbeddedPostgres;

  private constructor(dataDir: string, server: EmbeddedPostgres) {
    this.#dataDir = dataDir;
    this.#server = server;
  }

  static async start(dataDir: string): Promise<OwnPostgres> {
    return new OwnPostgres(dataDir, await startEmbeddedPostgres({ dataDir, log: () => undefined }));
  }

  get connection(): EmbeddedPostgres["connection"] {
    return this.#server.connection;
  }

  /** For `DATABASE_URL`; by way of what `reach` puts between, where it is given. */
  async urlBy(reach: SeverableStore["reach"] = async (address) => address): Promise<string> {
    const { user, password } = this.connection;
    const { host, port, database } = await reach(this.connection);
    const login = password === undefined ? user : `${user}:${encodeURIComponent(password)}`;
    return `postgres://${login}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  }

  /** A fast shutdown: clients are cut off. */
  async stop(): Promise<void> {
    await this.#server.stop();
  }

  /** As the power does. What it had committed is recovered by the next start. */
  async kill(): Promise<void> {
    const pid = (await readPostmasterFile(join(this.#dataDir, "postgres", "cluster")))?.pid;
    if (pid === undefined) throw new Error("PostgreSQL says of no process that it is its own.");
    process.kill(pid, "SIGKILL");
    await this.#server.stop();
  }

  async startAgain(): Promise<void> {
    this.#server = await startEmbeddedPostgres({ dataDir: this.#dataDir, log: () => undefined });
  }
}
