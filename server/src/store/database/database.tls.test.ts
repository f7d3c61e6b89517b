import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestAuthority } from "../../../test/support/test-certificate.ts";
import { openDatabase } from "./database.ts";

/** Whom the embedded server runs as where the tests run as root. */
const NOBODY = 65_534;
let authority: TestAuthority;
let stranger: TestAuthority;
let dataDir: string;
let postgres: EmbeddedPostgres;
let base: string;
let user: string;

/** A PostgreSQL that is reached by TLS alone, and by clients with a certificate. */
beforeAll(async () => {
  [authority, stranger] = await Promise.all([TestAuthority.create(), TestAuthority.create()]);
  dataDir = await mkdtemp(join(tmpdir(), "trunkline-tls-"));
  await Promise.all([chmod(dataDir, 0o755), chmod(authority.folder, 0o755)]);
  const { cert, key } = await authority.issue("database.test");
  const rules = join(authority.folder, "pg_hba.conf");
  await writeFile(rules, "local all all trust\nhostssl all all 127.0.0.1/32 cert\n");
  if (process.getuid?.() === 0) await chown(key, NOBODY, NOBODY);
  const settings = {
    fsync: "off",
    listen_addresses: "127.0.0.1",
    ssl: "on",
    ssl_cert_file: cert,
    ssl_key_file: key,
    ssl_ca_file: authority.caFile,
    hba_file: rules,
  };
  postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined }, { settings });
  const { port, database } = postgres.connection;
  user = postgres.connection.user;
  base = `postgres://${user}@127.0.0.1:${port}/${database}`;
});

afterAll(async () => {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
  await Promise.all([authority.remove(), stranger.remove()]);
});

async function isEncrypted(parameters: Readonly<Record<string, string>>): Promise<boolean | undefined> {
  const connectionString = `${base}?${new URLSearchParams(parameters).toString()}`;
  const database = openDatabase({ connectionString }, () => undefined, { connections: 1 });
  try {
    const [row] = await database.query<{ ssl: boolean }>(
      "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND client_dn = $1",
      [`/CN=${user}`],
    );
    // The connection of the settlements takes the same way.
    const [settler] = await database.prepared(
      "tls",
      "SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
      [],
    );
    return row?.ssl === true && settler === "true";
  } finally {
    await database.close();
  }
}

describe("a database that demands certificates", () => {
  it("is reached with those that the address names", async () => {
    const { cert, key } = await authority.issue(user);
    const terms = { sslmode: "verify-full", sslrootcert: authority.caFile, sslcert: cert, sslkey: key };
    expect(await isEncrypted(terms)).toBe(true);
  });

  it("is not reached without one, with another's, or where its own is not trusted", async () => {
    const [own, other] = await Promise.all([authority.issue(user), stranger.issue(user)]);
    const terms = { sslmode: "verify-full", sslrootcert: authority.caFile };
    await expect(isEncrypted(terms)).rejects.toThrow(/certificate/);
    await expect(isEncrypted({ ...terms, sslcert: other.cert, sslkey: other.key })).rejects.toThrow();
    const pair = { sslcert: own.cert, sslkey: own.key };
    await expect(isEncrypted({ ...terms, ...pair, sslrootcert: stranger.caFile })).rejects.toThrow(/certificate/);
  });
});
