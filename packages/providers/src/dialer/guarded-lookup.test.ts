import { describe, expect, it } from "vitest";
import { coalesceLookups, guardedLookup, type Lookup } from "./guarded-lookup.ts";

type Answer = { error: unknown; address: unknown; family: unknown };

function ask(lookup: ReturnType<typeof guardedLookup>, options: { all?: boolean }): Promise<Answer> {
  return new Promise((resolve) => {
    lookup("api.example.com", options, (error, address, family) => resolve({ error, address, family }));
  });
}

const resolvesTo =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses;

describe("guardedLookup", () => {
  it("hands on all checked addresses, or the first where one is asked for", async () => {
    const lookup = guardedLookup(false, resolvesTo("1.1.1.1", "2606:4700::1"));
    expect(await ask(lookup, { all: true })).toMatchObject({
      error: null,
      address: [
        { address: "1.1.1.1", family: 4 },
        { address: "2606:4700::1", family: 6 },
      ],
    });
    expect(await ask(lookup, {})).toEqual({ error: null, address: "1.1.1.1", family: 4 });
  });

  it.each([[["127.0.0.1"]], [["1.1.1.1", "192.168.0.1"]], [["::ffff:10.0.0.1"]]])(
    "gives none of %j to a socket that may only go to public addresses",
    async (addresses) => {
      const answer = await ask(guardedLookup(false, resolvesTo(...addresses)), { all: true });
      expect(answer.error).toMatchObject({ kind: "forbidden-address" });
      expect(answer.address).toEqual([]);
    },
  );

  it("passes private addresses where that is allowed", async () => {
    const answer = await ask(guardedLookup(true, resolvesTo("127.0.0.1")), { all: true });
    expect(answer.address).toEqual([{ address: "127.0.0.1", family: 4 }]);
  });

  it("reports a name that can't be resolved or has no address", async () => {
    const broken = guardedLookup(true, () => Promise.reject(new Error("ENOTFOUND")));
    expect((await ask(broken, {})).error).toMatchObject({ kind: "dns" });
    expect((await ask(guardedLookup(true, resolvesTo()), {})).error).toMatchObject({ kind: "dns" });
  });
});

describe("shareLookups", () => {
  it("asks once for all who ask at the same time, and again for whoever comes later", async () => {
    const asked: string[] = [];
    const lookup = coalesceLookups(async (hostname) => {
      asked.push(hostname);
      return ["1.1.1.1"];
    });
    await Promise.all([lookup("a.example"), lookup("a.example"), lookup("b.example")]);
    expect(asked).toEqual(["a.example", "b.example"]);
    await lookup("a.example");
    expect(asked).toEqual(["a.example", "b.example", "a.example"]);
  });

  it("does not keep a failure", async () => {
    let works = false;
    const lookup = coalesceLookups(async () => {
      if (!works) throw new Error("down");
      return ["1.1.1.1"];
    });
    await expect(lookup("a.example")).rejects.toThrow("down");
    works = true;
    expect(await lookup("a.example")).toEqual(["1.1.1.1"]);
  });
});
