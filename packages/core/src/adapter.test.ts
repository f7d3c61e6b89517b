import { expect, it } from "vitest";
import { awaitGroup, type PartSource, partSourceOf } from "./adapter.ts";
import { Arrival, promiseOf } from "./in-step.ts";
import type { Part } from "./parts.ts";

const HELLO: readonly Part[] = [{ type: "text", text: "hello" }];

it("lets the groups of a generator be taken: none waits for the next, and what it throws is thrown by the take", async () => {
  const source = partSourceOf(
    (async function* () {
      yield HELLO;
      throw new Error("broke off");
    })(),
  );
  const next = async () => {
    const arrival = source.take();
    expect(arrival).toBeInstanceOf(Arrival);
    if (arrival instanceof Arrival) await promiseOf(arrival);
  };
  await next();
  expect(source.take()).toEqual({ done: false, value: HELLO });
  // The wait itself never fails.
  await next();
  expect(() => source.take()).toThrow("broke off");
});

it("ends the generator when it is left early", async () => {
  let isClosed = false;
  const source = partSourceOf(
    (async function* () {
      try {
        yield HELLO;
        yield HELLO;
      } finally {
        isClosed = true;
      }
    })(),
  );
  expect(await awaitGroup(source)).toEqual({ done: false, value: HELLO });
  await source.return();
  expect(isClosed).toBe(true);
});

it("waits for a group as often as it must, and rejects with what a take throws", async () => {
  let takes = 0;
  const source: PartSource = {
    take() {
      takes++;
      if (takes < 3) return Arrival.of(Promise.resolve());
      if (takes === 3) return { done: false, value: HELLO };
      throw new Error("broke off");
    },
    return: async () => undefined,
  };
  expect(await awaitGroup(source)).toEqual({ done: false, value: HELLO });
  await expect(awaitGroup(source)).rejects.toThrow("broke off");
});
