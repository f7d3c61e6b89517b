import { createLogger } from "@trunkline/core/log.ts";
import { Sealer, Secret } from "@trunkline/core/secret.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMigratedDatabase, type TestDatabase } from "../../test/support/test-database.ts";
import { type Database, openDatabase } from "../store/database/database.ts";
import { PostgresSealedBoxes, type SealedColumn } from "../store/sealed-boxes.ts";
import { SEALED_COLUMNS, SecretRotation } from "./secret-rotation.ts";

const before = new Secret("the secret before, which was known too well");
const now = new Secret("the new secret, which only we know");

let test: TestDatabase;
let database: Database;

beforeAll(async () => {
  test = await createMigratedDatabase();
  database = openDatabase(test.address, () => undefined);
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

function rotationFrom(secret: Secret, fallback: Secret | undefined) {
  const clock = { monotonicMs: () => performance.now() };
  return new SecretRotation({
    store: new PostgresSealedBoxes(database),
    secret,
    fallback,
    clock,
    log: createLogger("silent"),
  });
}

const sums = async (rotation: SecretRotation) =>
  (await rotation.count()).reduce((sum, { all, current }) => ({ all: sum.all + all, current: sum.current + current }), {
    all: 0,
    current: 0,
  });

/** A box as versions before the key id made it. */
function oldFormat(box: Buffer): Buffer {
  return Buffer.concat([Buffer.of(1), box.subarray(5)]);
}

describe("the columns that are encrypted", () => {
  it("are all that the schema names so, and those that hold what was said", async () => {
    const found = await database.query<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type = 'bytea' AND (column_name LIKE 'sealed%' OR column_name LIKE '%box')`,
    );
    const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
    expect(listed).toEqual(expect.arrayContaining(found.map(({ name }) => name)));
    expect(new Set(listed).size).toBe(listed.length);
  });
});

describe("a changed secret", () => {
  const sealerOf = ({ purpose }: SealedColumn, secret: Secret) => new Sealer(secret, purpose);
  const account = "01890000-0000-7000-8000-000000000001";
  const column = (table: string, name: string) => {
    const found = SEALED_COLUMNS.find((one) => one.table === table && one.column === name);
    if (found === undefined) throw new Error(`${table}.${name} is not listed.`);
    return found;
  };
  const boxes = async ({ table, column: name, key, more = [] }: SealedColumn) =>
    database.query<Record<string, string> & { box: Buffer }>(
      `SELECT ${[...key, ...more].map((one) => `${one}::text`).join(", ")}, ${name} AS box FROM ${table} WHERE ${name} IS NOT NULL`,
    );

  beforeAll(async () => {
    await database.query("INSERT INTO accounts (id, name, provider, operator) VALUES ($1, 'Acme', 'acme', false)", [
      account,
    ]);
    const responses = column("stored_responses", "input");
    const items = column("conversation_items", "item");
    const conversations = column("conversations", "metadata");
    for (let index = 0; index < 45; index++) {
      const id = `01890000-0000-7000-8000-0000000001${String(index).padStart(2, "0")}`;
      const row = { id, account_id: account };
      const sealer = sealerOf(responses, before);
      await database.query(
        "INSERT INTO stored_responses (id, account_id, input, response, bytes, created_at, expires_at) VALUES ($1, $2, $3, $4, 1, now(), now())",
        [
          id,
          account,
          // Some are of earlier versions.
          index % 2 === 0
            ? sealer.seal(new Secret(`input ${index}`), responses.ownerOf(row))
            : oldFormat(sealer.seal(new Secret(`input ${index}`), responses.ownerOf(row))),
          sealer.seal(new Secret("response"), column("stored_responses", "response").ownerOf(row)),
        ],
      );
    }
    const conversation = { id: "01890000-0000-7000-8000-000000000200", account_id: account };
    await database.query(
      "INSERT INTO conversations (id, account_id, metadata, created_at, expires_at) VALUES ($1, $2, $3, now(), now())",
      [
        conversation.id,
        account,
        sealerOf(conversations, before).seal(new Secret("{}"), conversations.ownerOf(conversation)),
      ],
    );
    for (let position = 0; position < 25; position++) {
      const owner = items.ownerOf({ account_id: account, conversation_id: conversation.id });
      await database.query(
        "INSERT INTO conversation_items (conversation_id, position, account_id, id, item) VALUES ($1, $2, $3, 'x', $4)",
        [conversation.id, position, account, sealerOf(items, before).seal(new Secret(`item ${position}`), owner)],
      );
    }
    const totp = column("people", "sealed_totp");
    await database.query(
      "INSERT INTO people (id, email, name, sealed_totp) VALUES ($1, 'ada@example.test', 'Ada', $2)",
      [account, sealerOf(totp, before).seal(new Secret("JBSWY3DP"), totp.ownerOf({ id: account }))],
    );
  });

  it("is needed for nothing as long as it was not changed", async () => {
    const rotation = rotationFrom(before, undefined);
    await rotation.sweep();
    expect(await rotation.findUnreadable(1_000)).toEqual(new Map());
    expect(await sums(rotation)).toMatchObject({ all: 45 * 2 + 1 + 25 + 1 });
  });

  it("without the one before leaves values that can't be read, and says of what kind", async () => {
    const unreadable = await rotationFrom(now, undefined).findUnreadable(10);
    expect(unreadable.get("second factors")).toBe(1);
    expect(unreadable.get("kept responses")).toBeGreaterThanOrEqual(10);
  });

  it("encrypts every value again, so that the one before can be dropped", async () => {
    const rotation = rotationFrom(now, before);
    expect(await sums(rotation)).toEqual({ all: 117, current: 0 });
    expect(await rotation.isTakenOver()).toBe(false);
    await rotation.sweep();
    expect(await rotation.isTakenOver()).toBe(true);
    expect(await sums(rotation)).toEqual({ all: 117, current: 117 });
    const after = rotationFrom(now, undefined);
    expect(await after.findUnreadable(1_000)).toEqual(new Map());
    for (const sealed of SEALED_COLUMNS) {
      for (const { box, ...row } of await boxes(sealed))
        expect(sealerOf(sealed, now).open(box, sealed.ownerOf(row)).reveal()).not.toBe("");
    }
    const inputs = column("stored_responses", "input");
    const opened = (await boxes(inputs)).map(({ box, ...row }) =>
      sealerOf(inputs, now).open(box, inputs.ownerOf(row)).reveal(),
    );
    expect(opened.toSorted()).toEqual(Array.from({ length: 45 }, (_, index) => `input ${index}`).toSorted());
  });

  it("leaves alone what opens with neither", async () => {
    const totp = column("people", "sealed_totp");
    const foreign = sealerOf(totp, new Secret("of another service")).seal(
      new Secret("x"),
      totp.ownerOf({ id: account }),
    );
    await database.query("UPDATE people SET sealed_totp = $1", [foreign]);
    const rotation = rotationFrom(now, before);
    await rotation.sweep();
    expect((await boxes(totp))[0]?.box).toEqual(foreign);
    expect(await rotation.findUnreadable(10)).toEqual(new Map([["second factors", 1]]));
  });
});
