import { Arrival } from "@trunkline/core/in-step.ts";
import { DEFAULT_CALL_LIMITS } from "@trunkline/core/model.ts";
import { openForTest, orderTo } from "@trunkline/testing/throwaway-dialer.ts";
import { serveHttp } from "@trunkline/testing/throwaway-server.ts";
import { heldBytesEach, leastBytes } from "@trunkline/testing/used-heap.ts";
import { describe, expect, it } from "vitest";
import type { DialResponse } from "./dial-request.ts";
import { HttpExchange } from "./http-exchange.ts";

const BODY_BYTES = 40_000;

it("keeps nothing of its request once the answer has begun, however long it goes on", async () => {
  const server = await serveHttp((request, response) => {
    request.resume().on("end", () => response.write("begun"));
  });
  const dialer = openForTest();
  const signal = new AbortController().signal;
  const hold = async (bodyBytes: number) => {
    const { bytes, held } = await heldBytesEach(100, async (index) => {
      const body = Buffer.from(`${index} ${"x".repeat(bodyBytes)}`).toString();
      const response = await dialer.post(orderTo(server.url, {}, { body }), signal);
      const pieces = response.body[Symbol.asyncIterator]();
      expect(String((await pieces.next()).value)).toBe("begun");
      return response;
    });
    for (const response of held as DialResponse[]) response.cancel();
    return bytes;
  };
  const bound = BODY_BYTES / 2;
  const kept = await leastBytes(bound, async () => -(await hold(1)) + (await hold(BODY_BYTES)));
  expect(kept).toBeLessThan(bound);
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** An answer whose head has come. Its reader has to see what ends with "!". */
async function answered() {
  const given: string[] = [];
  const aborting = new AbortController();
  const exchange = new HttpExchange(
    { head: "", body: "", isAscii: true },
    {
      limits: DEFAULT_CALL_LIMITS,
      signal: aborting.signal,
      onReply: () => undefined,
      onFailure: () => undefined,
      onBytes: (bytes) => given.push(bytes.toString()) > 0 && bytes.toString().endsWith("!"),
    },
  );
  exchange.onHead(200, {});
  await nextTurn();
  const come = (text: string) => exchange.onData(Buffer.from(`<${text}>`), 1, 1 + text.length);
  /** Whether the reader is woken in this turn. */
  const isWoken = async () => {
    let hasCome = false;
    const arrival = exchange.read();
    if (arrival instanceof Arrival)
      arrival.whenCompleted({ completed: () => (hasCome = true), failed: () => undefined });
    return async () => {
      await nextTurn();
      return hasCome;
    };
  };
  return { exchange, given, come, isWoken, abort: () => aborting.abort() };
}

describe("a call that takes its bytes as they come", () => {
  it("gets them while its reader waits, which is woken only for what it has to see, and then reads nothing of them", async () => {
    const { exchange, given, come, isWoken } = await answered();
    const woken = await isWoken();
    come(": still there");
    come("half of");
    expect(await woken()).toBe(false);
    come("an event!");
    come("half of another");
    expect(await woken()).toBe(true);
    expect(given).toEqual([": still there", "half of", "an event!", "half of another"]);
    expect(exchange.read()).toHaveLength(0);
    expect(exchange.read()).toBeInstanceOf(Arrival);
    exchange.cancel();
  });

  it("reads by itself what comes while it is at work, and the sender is paused where that becomes much", async () => {
    const { exchange, given, come } = await answered();
    come("before it waits!");
    expect(exchange.read()).toEqual(Buffer.from("before it waits!"));
    for (let count = 0; count < 70; count++) come("x".repeat(1_000));
    expect(exchange.isPaused).toBe(true);
    expect(exchange.read()).toHaveLength(70_000);
    expect(exchange.isPaused).toBe(false);
    expect(given).toEqual([]);
    exchange.cancel();
  });

  it("pauses the sender that sends much before the reader is back, as long as that takes", async () => {
    const { exchange, come, isWoken } = await answered();
    const woken = await isWoken();
    for (let count = 0; count < 70; count++) come(`${"x".repeat(999)}!`);
    expect(exchange.isPaused).toBe(true);
    expect(await woken()).toBe(true);
    expect(exchange.read()).toHaveLength(0);
    expect(exchange.isPaused).toBe(false);
    exchange.cancel();
  });

  it("gets nothing of what came before it was ended", async () => {
    const { exchange, come, isWoken, abort } = await answered();
    await isWoken();
    come("an event!");
    abort();
    expect(() => exchange.read()).toThrow("the call was ended");
  });
});
