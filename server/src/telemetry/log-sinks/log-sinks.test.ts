import { text } from "node:stream/consumers";
import { BackgroundWork } from "@trunkline/core/background-work.ts";
import { newId } from "@trunkline/core/id.ts";
import { RequestTrace } from "@trunkline/core/request-trace.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { sampleCaller, sampleInference } from "@trunkline/testing/samples.ts";
import { openForTest } from "@trunkline/testing/throwaway-dialer.ts";
import { serveHttp } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it } from "vitest";
import type { LogSinkStore, OpenLogSink } from "./log-sink.ts";
import { LogSinks } from "./log-sinks.ts";

/** Answers a look-up of an account's sinks, or fails it. */
type LookUp = (answer: readonly OpenLogSink[] | Error) => void;

/** The sinks of an account with one sink, which takes lines of JSON. */
async function openSinks() {
  const received: string[] = [];
  const server = await serveHttp(async (request, response) => {
    const lines = (await text(request)).split("\n");
    received.push(...lines.map((line) => JSON.parse(line).path));
    response.end();
  });
  const lookUps: LookUp[] = [];
  const store: Partial<LogSinkStore> = {
    open: () =>
      new Promise((resolve, reject) => {
        lookUps.push((answer) => (answer instanceof Error ? reject(answer) : resolve([...answer])));
      }),
  };
  const backgroundWork = new BackgroundWork();
  const failed: unknown[] = [];
  const sinks = new LogSinks({
    store: store as LogSinkStore,
    dialer: openForTest(),
    clock: new ManualClock(),
    random: () => 0,
    backgroundWork,
    checkEndpoint: async () => undefined,
    onError: (error) => void failed.push(error),
  });
  const sink: OpenLogSink = {
    id: newId(),
    accountId: "client-account",
    kind: "http",
    url: server.url,
    region: undefined,
    accessKeyId: undefined,
    withContent: false,
    share: 1,
    description: "",
    mayDialPrivate: true,
    enabled: true,
    lastError: undefined,
    lastErrorAt: undefined,
    createdAt: new Date(0),
    secret: new Secret(Buffer.alloc(24).toString("base64")),
  };
  const observe = (path: string) => {
    const trace = new RequestTrace(newId(), path, new ManualClock());
    trace.caller = sampleCaller({ hasLogSinks: true });
    trace.inference = sampleInference();
    sinks.observe(trace, 200);
  };
  const sent = async () => {
    await backgroundWork.whenIdle();
    await sinks.stop();
    return received;
  };
  return { sinks, sink, lookUps, observe, sent, failed };
}

describe("LogSinks", () => {
  it("send requests in the order in which they ended, and look an account's sinks up once for all that wait", async () => {
    const { sink, lookUps, observe, sent } = await openSinks();
    for (const path of ["/1", "/2", "/3"]) observe(path);
    await expect.poll(() => lookUps.length).toBeGreaterThan(0);
    for (const answer of lookUps.reverse()) answer([sink]);
    expect(await sent()).toEqual(["/1", "/2", "/3"]);
    expect(lookUps).toHaveLength(1);
  });

  it("drop and count what waits where the sinks can't be looked up, with one error, and look again for the next request", async () => {
    const { sinks, sink, lookUps, observe, sent, failed } = await openSinks();
    for (const path of ["/1", "/2", "/3"]) observe(path);
    await expect.poll(() => lookUps.length).toBeGreaterThan(0);
    lookUps[0]?.(new Error("no store"));
    await expect.poll(() => failed.length).toBeGreaterThan(0);
    observe("/4");
    lookUps[1]?.([sink]);
    expect(await sent()).toEqual(["/4"]);
    expect(failed).toEqual([new Error("no store")]);
    expect(sinks.counts()).toEqual([
      ["sent", 1],
      ["dropped", 3],
    ]);
  });

  it("keep that order where the sinks change while they are looked up", async () => {
    const { sinks, sink, lookUps, observe, sent } = await openSinks();
    observe("/1");
    await expect.poll(() => lookUps.length).toBe(1);
    sinks.invalidate();
    observe("/2");
    expect(lookUps).toHaveLength(1);
    lookUps[0]?.([sink]);
    // What was looked up before the change is of no use after it.
    await expect.poll(() => lookUps.length).toBe(2);
    lookUps[1]?.([sink]);
    expect(await sent()).toEqual(["/1", "/2"]);
  });
});
