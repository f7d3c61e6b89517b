import { afterAll, beforeAll, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../test/support/fresh-store.ts";
import { PostgresSettings } from "./settings.ts";

let store: FreshStore;
let settings: PostgresSettings;

beforeAll(async () => {
  store = await openFreshStore();
  settings = new PostgresSettings(store.database);
});
afterAll(() => store.close());

const NAMES = ["colour", "size"];

it("keeps several settings, deletes some of them, and has no others", async () => {
  await settings.write(
    new Map<string, unknown>([
      ["colour", "blue"],
      ["size", { in: "cm" }],
    ]),
  );
  expect(await settings.read([...NAMES, "weight"])).toEqual(
    new Map<string, unknown>([
      ["colour", "blue"],
      ["size", { in: "cm" }],
    ]),
  );
  await settings.write(
    new Map([
      ["colour", "red"],
      ["size", undefined],
    ]),
  );
  expect(await settings.read(NAMES)).toEqual(new Map([["colour", "red"]]));
});

it("writes nothing of a change that fails in part", async () => {
  await settings.write(
    new Map([
      ["colour", "green"],
      ["size", undefined],
    ]),
  );
  // No text of the database's can hold that character.
  const change = settings.write(
    new Map([
      ["colour", "grey"],
      ["size", "\u0000"],
    ]),
  );
  await expect(change).rejects.toThrow();
  expect(await settings.read(NAMES)).toEqual(new Map([["colour", "green"]]));
});
