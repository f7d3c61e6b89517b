import type { RequestListener, ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { collect } from "@trunkline/testing/collect.ts";
import { makeInference, makeModel } from "@trunkline/testing/throwaway-call.ts";
import { openForTest } from "@trunkline/testing/throwaway-dialer.ts";
import { serveHttp, withinOneSecond } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it } from "vitest";
import { httpAdapter } from "../../http/http-adapter.ts";
import { nativeFormat } from "./format.ts";

async function callServer(
  onRequest: RequestListener,
  model: Partial<Model> = {},
  inference: Partial<Inference> = {},
  signal: AbortSignal = new AbortController().signal,
) {
  const server = await serveHttp(onRequest);
  const adapter = httpAdapter(openForTest(), nativeFormat);
  const call = () =>
    adapter.call({
      model: makeModel({ endpoint: `${server.url}/v1/generate`, ...model }),
      inference: makeInference(inference),
      requestId: "r1",
      signal,
    });
  return { server, call };
}

const answering =
  (body: string, contentType = "application/json"): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { "content-type": contentType }).end(body);
  };

const hi = { type: "text", text: "hi" };
const stop = { type: "finish", reason: "stop" };

describe("the contract adapter", () => {
  it("sends the request as the contract says", async () => {
    const heard: unknown[] = [];
    const credential = new Secret("sk-1");
    const { call } = await callServer(
      async (request, response) => {
        const { authorization, "content-type": type, "x-request-id": id } = request.headers;
        heard.push(request.method, request.url, authorization, type, id, JSON.parse(await readText(request)));
        response.end('{"output":"hi"}');
      },
      { authType: "bearer", credential },
    );
    expect(await collect(call())).toEqual([hi, stop]);
    const body = { input: "Hello?", parameters: {}, stream: true };
    expect(heard).toEqual(["POST", "/v1/generate", "Bearer sk-1", "application/json", "r1", body]);
  });

  it("reads a whole answer, whatever it is announced as", async () => {
    const body = '{"output":"hi","usage":{"input_tokens":2,"output_tokens":1},"latency_ms":3}';
    const { call } = await callServer(answering(body, "text/html"), {}, { streaming: false });
    expect(await collect(call())).toEqual([{ type: "usage", inputTokens: 2, outputTokens: 1 }, hi, stop]);
  });

  it.each([
    '{"delta":"h"}\n{"delta":"i"}\n{"done":true}\n',
    '{"delta":"h"}{"delta":"i"}{"done":true}',
    'data: {"delta":"h"}\n\ndata: {"delta":"i"}\n\ndata: [DONE]\n\n',
    '[{"delta":"h"},{"delta":"i"},{"done":true}]',
  ])("reads a stream however its objects are parted: %j", async (body) => {
    const { call } = await callServer(answering(body));
    expect(await collect(call())).toEqual([{ type: "text", text: "h" }, { type: "text", text: "i" }, stop]);
  });

  it("passes a delta on before the next one is there", async () => {
    let finish: () => void = () => {};
    const { call } = await callServer((_request, response) => {
      response.write('{"delta":"h"}');
      finish = () => response.end('{"delta":"i","done":true}');
    });
    const parts = call()[Symbol.asyncIterator]();
    expect(await parts.next()).toEqual({ done: false, value: { type: "text", text: "h" } });
    finish();
    expect(await parts.next()).toEqual({ done: false, value: { type: "text", text: "i" } });
  });

  it("does not wait for the end of a stream that is done, and keeps its connection if that comes", async () => {
    const responses: ServerResponse[] = [];
    const { server, call } = await callServer((_request, response) => {
      responses.push(response);
      response.write('{"delta":"hi"}{"done":true}');
    });
    for await (const part of call()) if (part.type === "finish") break;
    const [response] = responses;
    response?.end('{"delta":"late"}');
    // Both ends live on one event loop: some turns of it later the server would know that it was hung up on.
    for (let turns = 0; turns < 20; turns += 1) await setImmediate();
    expect(server.connections).toBe(1);
    expect(server.hangUps).toBe(0);
  });

  it("finishes although the connection stays open after the stream is done", async () => {
    const { server, call } = await callServer((_request, response) => {
      response.write('{"delta":"hi"}{"done":true}');
    });
    expect(await collect(call())).toEqual([hi, stop]);
    await server.hungUp;
  });

  it("takes a picture larger than a chunk in a whole answer", async () => {
    const url = `data:image/png;base64,${"A".repeat(100_000)}`;
    const model: Partial<Model> = { type: "image", streaming: false };
    const { call } = await callServer(answering(JSON.stringify({ output: { image_url: url } })), model);
    expect(await collect(call())).toEqual([
      { type: "media", kind: "image", url, source: { image_url: url } },
      stop,
    ]);
  });
});

describe("the contract adapter, when its caller has had enough", () => {
  it("hangs up when the reader leaves", async () => {
    const { server, call } = await callServer((_request, response) => {
      response.write('{"delta":"hi"}');
    });
    for await (const part of call()) {
      expect(part).toEqual(hi);
      break;
    }
    await withinOneSecond(server.hungUp);
  });

  it("hangs up when the signal goes off before the head, and blames nobody", async () => {
    const leaving = new AbortController();
    const { server, call } = await callServer(() => leaving.abort(), {}, {}, leaving.signal);
    await expect(collect(call())).rejects.toMatchObject({ name: "ProviderFailure", blamesEndpoint: false });
    await withinOneSecond(server.hungUp);
  });

  it("hangs up when the signal goes off within the stream, and blames nobody", async () => {
    const leaving = new AbortController();
    const { server, call } = await callServer(
      (_request, response) => {
        response.write('{"delta":"hi"}');
      },
      {},
      {},
      leaving.signal,
    );
    const parts = call()[Symbol.asyncIterator]();
    await parts.next();
    const next = parts.next();
    leaving.abort();
    await expect(next).rejects.toMatchObject({ name: "ProviderFailure", blamesEndpoint: false });
    await withinOneSecond(server.hungUp);
  });
});
