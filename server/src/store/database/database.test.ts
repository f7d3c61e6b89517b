import { randomBytes } from "node:crypto";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { SettlementWriter } from "../../ledger/billing/settlement-writer.ts";
import { Instance } from "../instances.ts";
import { PostgresLedger } from "../ledger/ledger.ts";
import { type Database, openDatabase } from "./database.ts";
import { ArrayValue, JsonLines } from "./prepared-statements.ts";

describe("half-open", () => {
  let store: FreshStore;

  beforeAll(async () => {
    store = await openFreshStore();
  });
  afterAll(() => store.close());

  /** A network that can swallow what its connections carry: the server gives them up, the client hears nothing. */
  async function openNetwork(address: FreshStore["address"]) {
    const pairs = new Set<readonly [Socket, Socket]>();
    const server = createServer((client) => {
      const far = connect(join(address.host, `.s.PGSQL.${address.port}`));
      for (const socket of [client, far]) socket.on("error", () => undefined);
      client.pipe(far);
      far.pipe(client, { end: false });
      client.on("close", () => far.destroy());
      pairs.add([client, far]);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
      address: { ...address, host: "127.0.0.1", port: (server.address() as AddressInfo).port },
      swallow() {
        for (const [client, far] of pairs) {
          client.unpipe(far);
          far.unpipe(client);
          client.pause();
          far.destroy();
        }
      },
      stop() {
        for (const [client] of pairs) client.destroy();
        server.close();
      },
    };
  }

  describe("connections that break silently", () => {
    it("are replaced: the charge is written, and the instance comes back", async () => {
      const network = await openNetwork(store.address);
      const way = openDatabase(network.address, () => undefined, { statementTimeoutMs: 2_000 });
      let returns = 0;
      const instance = await Instance.register(way, newId(), () => {
        returns++;
      });
      const ledger = await PostgresLedger.open(way, instance.id);
      const settlementWriter = new SettlementWriter(ledger, undefined, 30_000);
      const accountId = await store.makeAccount(8_000n);
      const settle = () => sampleSettlement({ accountId, keyId: newId(), cost: 10n });
      await ledger.extendLease(balancePool(accountId), 1_000n);
      await settlementWriter.write(settle());
      network.swallow();
      await settlementWriter.write(settle());
      await expect.poll(() => returns).toBe(1);
      await expect
        .poll(async () => (await ledger.readPool(balancePool(accountId)).catch(() => undefined))?.total)
        .toBe(7_980n);
      await instance.deregister();
      await way.close();
      network.stop();
    });
  });
});

describe("database", () => {
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await createTestDatabase();
    database = openDatabase(test.address, () => undefined);
    await database.query("CREATE TABLE notes (id bigint PRIMARY KEY, text text)");
  });
  afterAll(async () => {
    await database.close();
    await test.drop();
  });

  const countNotes = async () => (await database.query<{ count: bigint }>("SELECT count(*) FROM notes"))[0]?.count;

  describe("a query", () => {
    it("gives 64-bit integers back exactly, from the pool and from a connection of its own", async () => {
      const sql = "SELECT 9223372036854775807::bigint AS big, NULL::bigint AS none, 7::int AS small";
      const expected = { big: 9_223_372_036_854_775_807n, none: null, small: 7 };
      expect(await database.query(sql)).toEqual([expected]);
      const connection = await database.connect("test");
      expect((await connection.query(sql)).rows).toEqual([expected]);
      await connection.end();
    });

    it("takes amounts beyond what a double can hold", async () => {
      const rows = await database.query("SELECT $1::bigint AS big, $2::bigint[] AS list", [
        9_007_199_254_740_993n,
        [9_007_199_254_740_993n, null],
      ]);
      expect(rows[0]?.big).toBe(9_007_199_254_740_993n);
    });

    it("with an error fails with that error, not as a store that is away", async () => {
      await expect(database.query("SELECT nonsense")).rejects.toMatchObject({ code: "42703" });
    });
  });

  describe("a transaction", () => {
    it("is committed when its work is done", async () => {
      const result = await database.transaction(async (connection) => {
        await connection.query("INSERT INTO notes VALUES (1, 'a'), (2, 'b')");
        return "done";
      });
      expect(result).toBe("done");
      expect(await countNotes()).toBe(2n);
    });

    it("leaves nothing behind when its work throws, and passes the error on", async () => {
      const before = await countNotes();
      const error = new Error("changed my mind");
      await expect(
        database.transaction(async (connection) => {
          await connection.query("INSERT INTO notes VALUES (3, 'c')");
          throw error;
        }),
      ).rejects.toBe(error);
      await expect(
        database.transaction(async (connection) => {
          await connection.query("INSERT INTO notes VALUES (4, 'd')");
          await connection.query("INSERT INTO notes VALUES (1, 'again')");
        }),
      ).rejects.toMatchObject({ code: "23505" });
      expect(await countNotes()).toBe(before);
    });

    it("gives its connection back, however it ends", async () => {
      for (let i = 0; i < 30; i++) {
        await database.transaction(() => Promise.reject(new Error("no"))).catch(() => undefined);
      }
      expect(await database.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    });
  });

  it("parses a statement with a name once for each connection", async () => {
    await database.transaction(async (connection) => {
      for (const number of ["1", "2", "3"]) {
        const rows = await connection.query("SELECT $1::int * 2 AS twice", [number], "twice");
        expect(rows).toEqual([{ twice: Number(number) * 2 }]);
      }
      const kept = await connection.query(
        "SELECT (generic_plans + custom_plans)::int AS runs FROM pg_prepared_statements WHERE name = 'twice'",
      );
      expect(kept).toEqual([{ runs: 3 }]);
    });
  });

  describe("a prepared statement", () => {
    const echo = (...values: (string | JsonLines)[]) =>
      database.prepared("echo", "SELECT t FROM unnest(ARRAY[$1, $2]::text[]) AS t WHERE t <> ''", values);

    it("gives the first column of its rows as text, for values of any length", async () => {
      const long = 'ä€😀"\\\n'.repeat(40_000);
      expect(await echo("", "")).toEqual([]);
      expect(await echo("one", long)).toEqual(["one", long]);
      expect(await echo("two", "three")).toEqual(["two", "three"]);
    });

    it("takes a value that is missing as NULL, before and after others", async () => {
      const values = [undefined, "", "zwei €", undefined];
      const text = "SELECT coalesce(t, 'no text') FROM unnest(ARRAY[$1, $2, $3, $4]::text[]) AS t";
      expect(await database.prepared("missing", text, values)).toEqual(["no text", "", "zwei €", "no text"]);
    });

    it("takes values as lines of JSON, of any length", async () => {
      const lines = new JsonLines([{ one: 1 }, undefined, ["zwei €"], undefined]);
      expect(await echo(lines, "")).toEqual(['{"one":1}\n\n["zwei €"]\n']);
      expect(await echo(new JsonLines([undefined, 2]), new JsonLines([]))).toEqual(["\n2"]);
      const many = Array.from({ length: 3_000 }, (_, index) => ({
        index,
        text: "ä€😀".repeat(index % 90),
        rest: [index / 8],
      }));
      const long = "x".repeat(70_000);
      expect(await echo(new JsonLines(many), long)).toEqual([
        many.map((each) => JSON.stringify(each)).join("\n"),
        long,
      ]);
      expect(await echo(long, new JsonLines(many))).toEqual([
        long,
        many.map((each) => JSON.stringify(each)).join("\n"),
      ]);
    });

    it("takes an array item by item", async () => {
      const texts = ["one", undefined, "zwei €", "", "a,b {c}", "NULL", "x".repeat(60), '\\"'];
      const rows = await database.prepared("array", "SELECT coalesce(t, 'no text') FROM unnest($1::text[]) AS t", [
        new ArrayValue(texts, true),
      ]);
      expect(rows).toEqual(["one", "no text", "zwei €", "", "a,b {c}", "NULL", "x".repeat(60), '"']);
      const numbers = await database.prepared("numbers", "SELECT coalesce(n, -1) FROM unnest($1::bigint[]) AS n", [
        new ArrayValue(["7", undefined, "9007199254740993"], false),
      ]);
      expect(numbers).toEqual(["7", "-1", "9007199254740993"]);
    });

    it("runs in the order in which it was sent, one at a time", async () => {
      const words = Array.from({ length: 20 }, (_, index) => String(index));
      expect(await Promise.all(words.map((word) => echo(word, "")))).toEqual(words.map((word) => [word]));
    });

    it("with an error fails with that error, and the next one works", async () => {
      const divide = (by: string) => database.prepared("divide", "SELECT 6 / $1::int", [by]);
      await expect(divide("0")).rejects.toMatchObject({ code: "22012" });
      expect(await divide("3")).toEqual(["2"]);
      await expect(database.prepared("nonsense", "SELECT nonsense", [])).rejects.toMatchObject({ code: "42703" });
      expect(await divide("2")).toEqual(["3"]);
    });

    it("answers 503 where its connection is cut, running or idle, and the next one works", async () => {
      const cut = () => database.prepared("cut", "SELECT pg_terminate_backend(pg_backend_pid())", []);
      await expect(cut()).rejects.toMatchObject({ type: "unavailable" });
      const [pid = ""] = await database.prepared("pid", "SELECT pg_backend_pid()", []);
      await database.query("SELECT pg_terminate_backend($1)", [Number(pid)]);
      await expect
        .poll(() => database.prepared("pid", "SELECT pg_backend_pid()", []).catch(() => [pid]))
        .not.toEqual([pid]);
    });
  });

  describe("a store that is away", () => {
    const unavailable = { type: "unavailable", status: 503, details: { retryAfterSeconds: 2 } };

    it("answers 503 where its connection is cut, and the next query works", async () => {
      await expect(database.query("SELECT pg_terminate_backend(pg_backend_pid())")).rejects.toMatchObject(unavailable);
      await expect(
        database.transaction(async (connection) => {
          await connection.query("INSERT INTO notes VALUES (9, 'cut')");
          await connection.query("SELECT pg_terminate_backend(pg_backend_pid())");
        }),
      ).rejects.toMatchObject(unavailable);
      expect(await database.query("SELECT text FROM notes WHERE id = 9")).toEqual([]);
    });

    it.each([
      ["a socket that is not there", { host: join(tmpdir(), `none-${randomBytes(4).toString("hex")}`), port: 5432 }],
      ["a closed port", { host: "127.0.0.1", port: 1 }],
      ["an unknown host", { host: "store.invalid", port: 5432 }],
    ])("is the service's trouble with %s", async (_what, place) => {
      const away = openDatabase({ ...place, user: "nobody", database: "nothing" }, () => undefined);
      await expect(away.query("SELECT 1")).rejects.toMatchObject(unavailable);
      await expect(away.transaction(async () => undefined)).rejects.toMatchObject(unavailable);
      await expect(away.prepared("one", "SELECT 1", [])).rejects.toMatchObject(unavailable);
      await expect(away.connect("test")).rejects.toMatchObject(unavailable);
      await away.close();
    });

    it("reports a broken idle connection, which does not end the process", async () => {
      const errors: Error[] = [];
      let heard: () => void = () => undefined;
      const broken = new Promise<void>((resolve) => {
        heard = resolve;
      });
      const other = openDatabase(test.address, (error) => {
        errors.push(error);
        heard();
      });
      const rows = await other.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      await database.query("SELECT pg_terminate_backend($1)", [rows[0]?.pid]);
      await broken;
      expect(errors).not.toEqual([]);
      expect(await other.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
      await other.close();
    });
  });
});
