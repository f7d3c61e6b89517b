import type { Clock } from "@trunkline/core/clock.ts";
import { DEFAULT_CALL_LIMITS } from "@trunkline/core/model.ts";
import { check, troubles } from "@trunkline/testing/conformance-trial.ts";
import { isMalformed, isPlain, refuse, serveWith, when } from "@trunkline/testing/faulty-endpoint.ts";
import { findDeadPort, listen } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it } from "vitest";
import { createProvider } from "../../../../examples/provider/provider.mjs";

describe("the reference provider", () => {
  it.each([
    ["text", "/v1/generate", "bearer", false],
    ["text", "/v1/generate", "bearer", true],
    ["text", "/v1/generate", "x-api-key", true],
    ["multimodal", "/v1/generate", "bearer", true],
    ["image", "/image/v1/generate", "bearer", false],
    ["image", "/image/v1/generate", "x-api-key", true],
    ["audio", "/audio/v1/generate", "x-api-key", false],
  ] as const)("passes as %s at %s with %s, streaming: %s", async (type, path, authType, streaming) => {
    const { url } = await listen(createProvider({ key: "right" }));
    const report = await check(`${url}${path}`, { type, authType, streaming });
    expect(troubles(report)).toEqual([]);
    expect(report.passed).toBe(true);
  });

  it("is checked in everything that the contract knows", async () => {
    const { url } = await listen(createProvider({ key: "right" }));
    const { findings } = await check(`${url}/v1/generate`);
    expect(findings.map((finding) => finding.check)).toEqual([
      "reachable",
      "plain-answer",
      "output-form",
      "usage",
      "latency-reported",
      "latency",
      "content-type",
      "wrong-credential",
      "malformed-body",
      "missing-input",
      "max-tokens",
      "unicode",
      "consistent-format",
      "concurrency",
      "streaming",
      "streaming-end",
      "streaming-usage",
      "hang-up",
    ]);
  });
});

describe("the visit", () => {
  it("says why an endpoint can't be reached, and asks nothing more", async () => {
    const report = await check(`http://127.0.0.1:${await findDeadPort()}/v1/generate`);
    expect(report.findings).toEqual([
      { check: "reachable", verdict: "fail", message: expect.stringContaining("nothing listens") },
    ]);
  });

  it("does not dial private addresses where that is not allowed", async () => {
    const endpoint = await serveWith((reply) => reply);
    const report = await check(endpoint, { mayDialPrivate: false });
    expect(troubles(report)).toEqual(["reachable: fail"]);
  });

  it("does not wait for ever for an endpoint that never answers", async () => {
    const endpoint = await serveWith(() => "taken");
    const limits = { ...DEFAULT_CALL_LIMITS, firstByteMs: 20 };
    expect(troubles(await check(endpoint, { limits }))).toEqual(["reachable: fail"]);
  });

  it("tells an endless answer from an endpoint that is away", async () => {
    const endpoint = await serveWith((reply) => ({ ...reply, body: "x".repeat(2_000) }));
    const limits = { ...DEFAULT_CALL_LIMITS, responseBytes: 1_000 };
    const report = await check(endpoint, { limits });
    expect(report.findings.map(({ check: name, verdict }) => [name, verdict])).toEqual([
      ["reachable", "pass"],
      ["plain-answer", "fail"],
    ]);
  });

  it("goes on with the other checks when one of them gets no answer", async () => {
    const endpoint = await serveWith((reply, asked) => {
      if (!isMalformed(asked)) return reply;
      asked.response.destroy();
      return "taken";
    });
    expect(troubles(await check(endpoint))).toEqual(["malformed-body: fail"]);
  });

  it("hangs up in mid-stream, for the endpoint to see", async () => {
    let noticed: () => void = () => {};
    const hungUp = new Promise<void>((resolve) => {
      noticed = resolve;
    });
    const endpoint = await serveWith((reply, { body, times, response }) => {
      if (body?.stream !== true || times === 1) return reply;
      response.on("close", noticed);
      response.write('{"delta":"and then, "}\n');
      return "taken";
    });
    expect(troubles(await check(endpoint))).toEqual([]);
    await hungUp;
  });

  it("comes again once when it is asked to come later", async () => {
    const endpoint = await serveWith((reply, { times, response }) => {
      if (times > 1) return reply;
      response.setHeader("retry-after", "0");
      return refuse(429, "Later.");
    });
    expect(troubles(await check(endpoint, { streaming: false }))).toEqual([]);
  });

  it("warns of a slow endpoint", async () => {
    let now = 0;
    const slowClock: Clock = { now: () => 0, monotonicMs: () => (now += 600) };
    const report = await check(await serveWith((reply) => reply), {}, undefined, slowClock);
    expect(troubles(report)).toEqual(["latency: warn"]);
  });

  it("gives up on an endpoint for which a minute is not enough", async () => {
    let now = 0;
    const slowClock: Clock = { now: () => 0, monotonicMs: () => (now += 10_000) };
    const report = await check(await serveWith((reply) => reply), {}, undefined, slowClock);
    expect(report.findings.at(-1)).toMatchObject({ check: "time-box", verdict: "fail" });
    expect(report.passed).toBe(false);
  });

  it.each([
    ["at the first request", 1],
    ["later", 2],
  ])("finds nothing when it is called off %s", async (_when, nth) => {
    const callOff = new AbortController();
    const endpoint = await serveWith((reply, { times }) => {
      if (times < nth) return reply;
      callOff.abort(new Error("called off"));
      return "taken";
    });
    await expect(check(endpoint, {}, callOff.signal)).rejects.toThrow("called off");
  });

  it("sends no key where the endpoint wants none, and does not ask for a wrong one to be refused", async () => {
    const keys = new Set<string | undefined>();
    const endpoint = await serveWith((_reply, { key, body }) => {
      keys.add(key);
      if (typeof body?.input !== "string") return refuse(400, "No input.");
      return { status: 200, type: "application/json", body: { output: "hi", latency_ms: 1 } };
    });
    const report = await check(endpoint, { authType: "none", streaming: false });
    expect(troubles(report)).toEqual(["usage: warn"]);
    expect([...keys]).toEqual([undefined]);
  });

  it.each([
    ["bearer", { authorization: "Bearer right", "x-api-key": undefined }],
    ["x-api-key", { authorization: undefined, "x-api-key": "right" }],
  ] as const)("sends the key as %s and in no other way", async (authType, expected) => {
    const seen: object[] = [];
    const endpoint = await serveWith((_reply, { response: { req } }) => {
      const { authorization, "x-api-key": apiKey, "content-type": type } = req.headers;
      seen.push({ authorization, "x-api-key": apiKey, type });
      return refuse(500, "Enough.");
    });
    await check(endpoint, { authType });
    expect(seen).toEqual([{ ...expected, type: "application/json" }]);
  });

  it("says what to do about a stream that comes whole", async () => {
    const endpoint = await serveWith(when(({ body }) => body?.stream === true, { body: { output: "hi" } }));
    const { findings } = await check(endpoint);
    const message = findings.find((finding) => finding.check === "streaming")?.message;
    expect(message).toContain("register the model with `streaming: false`");
  });

  it("repeats neither the key nor anything that could steer a terminal", async () => {
    const endpoint = await serveWith(when(isPlain, refuse(400, "\u001b[2JThe key right is odd.")));
    const message = (await check(endpoint)).findings.at(-1)?.message;
    expect(message).toContain("“[2JThe key [secret] is odd.”");
  });
});
