import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { get } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import { systemClock } from "@trunkline/core/clock.ts";
import { Sealer, Secret } from "@trunkline/core/secret.ts";
import { createDialer, type Dialer } from "@trunkline/providers/dialer/dialer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Pebble, startPebble } from "../../../test/support/pebble.ts";
import { TestAuthority } from "../../../test/support/test-certificate.ts";
import { createMigratedDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { createRedirectServer } from "../../http/tls/redirect-server.ts";
import { TlsFront } from "../../http/tls/tls-front.ts";
import { PostgresAcmeCertificates } from "../../store/acme-certificates.ts";
import { type Database, openDatabase } from "../../store/database/database.ts";
import { readCertificate } from "../certificate.ts";
import { acmeCertificateName } from "../tls-settings.ts";
import { AcmeCertificates } from "./acme-certificates.ts";
import type { ChallengeKind } from "./acme-client.ts";

let authority: TestAuthority;
let pebble: Pebble;
let dialer: Dialer;
let testDatabase: TestDatabase;
let database: Database;
/** By which both instances live. */
let aheadMs = 0;
const errors: unknown[] = [];

/** What answers at the ports where the ACME server looks: another instance than the one that orders. */
let answering: AcmeCertificates;
const inner = createServer((_request, response) => response.end("served"));
let front: TlsFront;
let tlsPort: number;
const redirect = createRedirectServer(
  { keyAuthorization: (token) => answering.keyAuthorization(token) },
  { origin: undefined, port: () => 443 },
);

beforeAll(async () => {
  authority = await TestAuthority.create();
  testDatabase = await createMigratedDatabase();
  database = openDatabase(testDatabase.address, () => undefined, { connections: 4 });
  dialer = createDialer({ tlsTerms: () => ({ ca: authority.ca }) });
  redirect.listen(0, "127.0.0.1");
  await once(redirect, "listening");
  const { cert, key } = await authority.issue("front.test");
  const source = {
    current: readCertificate(await readFile(cert, "utf8"), await readFile(key, "utf8")),
    get expectsTlsChallenge() {
      return answering.expectsTlsChallenge;
    },
    challengeCertificate: (name: string) => answering.challengeCertificate(name),
    keyAuthorization: async () => undefined,
    onChange: () => undefined,
    start: () => undefined,
    refresh: async () => undefined,
    stop: async () => undefined,
  };
  front = new TlsFront(inner, source, 5_000);
  tlsPort = (await front.listen(0, "127.0.0.1")).port;
  pebble = await startPebble(authority, { http: (redirect.address() as AddressInfo).port, tls: tlsPort });
});

afterAll(async () => {
  front.destroy();
  await front.close();
  redirect.close();
  redirect.closeAllConnections();
  await pebble.stop();
  await dialer.close();
  await database.close();
  await testDatabase.drop();
  await authority.remove();
});

function openInstance(id: string, kind: ChallengeKind, domains: readonly string[]): AcmeCertificates {
  const settings = { domains, email: "ops@example.com", directory: pebble.directory };
  return new AcmeCertificates({
    settings,
    kind,
    store: new PostgresAcmeCertificates(database, id, acmeCertificateName(settings), pebble.directory),
    dialer,
    sealer: new Sealer(new Secret("a secret of the tests")),
    clock: { ...systemClock, now: () => Date.now() + aheadMs },
    onIssued: () => undefined,
    onError: (error) => errors.push(error),
  });
}

/** Lets an instance learn of changes, as a notice does, until something is over or has failed. */
async function follow(instance: AcmeCertificates, isOver: () => boolean): Promise<void> {
  while (!isOver() && errors.length === 0) {
    await instance.refresh();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await instance.refresh();
}

describe("a certificate of an ACME server", () => {
  it("is ordered by HTTP-01 by one of two instances, shared, and renewed at a third of its time", async () => {
    const domains = ["ai.example.test", "www.ai.example.test"];
    const [one, other] = [openInstance("one", "http-01", domains), openInstance("other", "http-01", domains)];
    answering = other;
    one.start();
    await follow(other, () => one.current !== undefined);
    expect(errors).toEqual([]);
    expect(one.current?.chain).toBe(other.current?.chain);
    expect(await count("acme_accounts")).toBe(1);
    expect(await count("acme_challenges")).toBe(0);
    const kept = await database.query<{ key_box: Buffer }>("SELECT key_box FROM acme_certificates");
    expect(kept[0]?.key_box.includes("PRIVATE KEY")).toBe(false);

    const first = one.current;
    const { validFrom, validTo } = first ?? { validFrom: 0, validTo: 0 };
    aheadMs = validTo - (validTo - validFrom) / 3 - Date.now() - 60_000;
    await one.refresh();
    expect(one.current).toBe(first);
    aheadMs += 120_000;
    void one.refresh();
    await follow(other, () => one.current !== first);
    aheadMs = 0;
    expect(errors).toEqual([]);
    expect(one.current?.chain).not.toBe(first?.chain);
    expect(other.current?.chain).toBe(one.current?.chain);
    await Promise.all([one.stop(), other.stop()]);
  });

  it("is ordered by TLS-ALPN-01, which another instance answers while it serves", async () => {
    const [one, other] = [
      openInstance("one", "tls-alpn-01", ["alpn.example.test"]),
      openInstance("other", "tls-alpn-01", ["alpn.example.test"]),
    ];
    answering = other;
    one.start();
    await follow(other, () => one.current !== undefined);
    expect(errors).toEqual([]);
    expect(one.expectsTlsChallenge).toBe(false);
    await Promise.all([one.stop(), other.stop()]);
  });

  it("is not ordered again during the pause after a failure", async () => {
    // Nothing shows the challenge.
    answering = openInstance("nobody", "tls-alpn-01", ["elsewhere.example.test"]);
    const failing = openInstance("one", "tls-alpn-01", ["failing.example.test"]);
    failing.start();
    await follow(answering, () => false);
    expect(String(errors[0])).toContain("The ACME server refused");
    await failing.refresh();
    expect(errors.length).toBe(1);
    const [row] = await database.query<{ failures: number; pause: number }>(
      "SELECT failures, extract(epoch FROM next_order_at - now())::int AS pause FROM acme_certificates WHERE failures > 0",
    );
    expect(row?.failures).toBe(1);
    expect(row?.pause).toBeGreaterThan(240);
    await failing.stop();
  });
});

describe("a front that waits for a challenge", () => {
  it("shows the challenge's certificate for its name alone, and still serves others", async () => {
    const instance = openInstance("one", "tls-alpn-01", ["wait.example.test"]);
    const store = new PostgresAcmeCertificates(
      database,
      "one",
      acmeCertificateName({ directory: pebble.directory, domains: ["wait.example.test"] }),
      pebble.directory,
    );
    await store.takeLease();
    await store.addChallenges([
      { kind: "tls-alpn-01", domain: "wait.example.test", token: "t", keyAuthorization: "t.k" },
    ]);
    await instance.refresh();
    answering = instance;
    expect(instance.expectsTlsChallenge).toBe(true);
    const ask = async (servername: string) => {
      const socket = connect({
        port: tlsPort,
        host: "127.0.0.1",
        servername,
        ALPNProtocols: ["acme-tls/1"],
        rejectUnauthorized: false,
      });
      const outcome = await Promise.race([
        once(socket, "secureConnect").then(() => String(socket.getPeerCertificate().subjectaltname)),
        once(socket, "error").then(() => "refused"),
      ]).catch(() => "refused");
      socket.destroy();
      return outcome;
    };
    expect(await ask("wait.example.test")).toBe("DNS:wait.example.test");
    expect(await ask("other.example.test")).toBe("refused");
    const [served] = (await once(
      get({ port: tlsPort, host: "localhost", ca: authority.ca, agent: false }),
      "response",
    )) as [IncomingMessage];
    expect(await text(served)).toBe("served");
  });
});

async function count(table: "acme_accounts" | "acme_challenges"): Promise<number> {
  const [row] = await database.query<{ count: bigint }>(`SELECT count(*) AS count FROM ${table}`);
  return Number(row?.count);
}
