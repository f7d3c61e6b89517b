import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import type { TestProject } from "vitest/node";
import { clearMemory } from "./support/memory-folder.ts";
import { makeMigratedTemplate } from "./support/migrated-template.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgres: {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly database: string;
    };
  }
}

/** Starts one PostgreSQL for the whole run. Every test file that needs a store makes a database of its own in it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), "trunkline-test-"));
  // As root the server runs as another user, who must be able to pass through.
  await chmod(dataDir, 0o755);
  // Nothing of a run has to outlive the machine, and waiting for the disk would be most of the store's time.
  const settings = {
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    // Hundreds of small databases that live for seconds need neither.
    autovacuum: "off",
    checkpoint_timeout: "1h",
    // Several files run at once, some with many services.
    max_connections: "400",
  };
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined }, { settings });
  await makeMigratedTemplate(postgres.connection);
  project.provide("postgres", postgres.connection);
  return async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
    clearMemory();
  };
}
