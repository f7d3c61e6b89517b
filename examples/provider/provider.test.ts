import { spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { createProvider, type ProviderOptions } from "./provider.mjs";

const running: ReturnType<typeof createProvider>[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }
});

async function start(options: ProviderOptions = {}): Promise<string> {
  const server = createProvider(options).listen(0, "127.0.0.1");
  await once(server, "listening");
  running.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const bearer = { authorization: "Bearer demo-key" };

async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = bearer,
  signal: AbortSignal = new AbortController().signal,
): Promise<Response> {
  return await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    signal,
  });
}

describe("the text model", () => {
  it("reports on the words it was given, with usage and latency", async () => {
    const response = await post(`${await start()}/v1/generate`, { input: "one two  three" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({
      output: "Words: 3. Characters: 14. Longest word: three. Backwards: three two one",
      usage: { input_tokens: 3, output_tokens: 11 },
      latency_ms: expect.any(Number),
    });
  });

  it("stops at max_tokens words", async () => {
    const order = { input: "one two three", parameters: { max_tokens: 4 } };
    const response = await post(`${await start()}/v1/generate`, order);
    expect(await response.json()).toMatchObject({
      output: "Words: 3. Characters: 13.",
      usage: { output_tokens: 4 },
    });
  });

  it("refuses a max_tokens that is not a whole number of at least 1", async () => {
    const url = `${await start()}/v1/generate`;
    for (const max_tokens of [0, 1.5, "4", -1]) {
      expect((await post(url, { input: "hello", parameters: { max_tokens } })).status).toBe(400);
    }
  });

  it("streams the same words as newline-separated deltas and ends with done and usage", async () => {
    const url = `${await start()}/v1/generate`;
    const whole: unknown = await (await post(url, { input: "שלום 👋 world" })).json();
    const streamed = await (await post(url, { input: "שלום 👋 world", stream: true })).text();
    const chunks = streamed
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const last = chunks.pop();
    expect(chunks.length).toBeGreaterThan(1);
    expect(whole).toMatchObject({ output: chunks.map((chunk) => chunk.delta).join(""), usage: last.usage });
    expect(last.done).toBe(true);
  });

  it.each([true, false])("stops generating when the client hangs up, streaming: %s", async (stream) => {
    const begun = new AbortController();
    let tell: (how: string) => void = () => {};
    const stopped = new Promise<string>((resolve) => {
      tell = resolve;
    });
    async function* generate(_input: string, signal: AbortSignal) {
      try {
        for (;;) {
          await new Promise((resolve) => setImmediate(resolve));
          yield "word ";
          begun.abort();
        }
      } finally {
        tell(signal.aborted ? "hung up" : "still there");
      }
    }
    const order = { input: "go on", parameters: { max_tokens: 1e9 }, stream };
    const answer = post(`${await start({ generate })}/v1/generate`, order, bearer, begun.signal);
    await expect(answer.then((response) => response.text())).rejects.toThrow("aborted");
    expect(await stopped).toBe("hung up");
  });

  it("answers 500 when the model fails, and ends a begun stream with the error", async () => {
    async function* generate() {
      yield "first";
      throw new Error("a secret detail");
    }
    const url = `${await start({ generate })}/v1/generate`;
    const error = { error: { message: "The model failed.", code: 500 } };
    const whole = await post(url, { input: "hello" });
    expect([whole.status, await whole.json()]).toEqual([500, error]);
    const streamed = await post(url, { input: "hello", stream: true });
    expect(await streamed.text()).toBe(`{"delta":"first"}\n${JSON.stringify(error)}\n`);
  });
});

describe("the other models", () => {
  it("draws a picture of the size that was asked for", async () => {
    const url = `${await start()}/image/v1/generate`;
    const response = await post(url, { input: "a red kite", parameters: { size: "320x200" } });
    const { output } = (await response.json()) as { output: { image_url: string } };
    const [head, data = ""] = output.image_url.split(",");
    expect(head).toBe("data:image/svg+xml;base64");
    expect(Buffer.from(data, "base64").toString()).toMatch(/^<svg [^>]*width="320" height="200".*<\/svg>$/);
    expect((await post(url, { input: "a red kite", parameters: { size: "huge" } })).status).toBe(400);
  });

  it("plays a tone as a WAV whose header fits its length, and only as WAV", async () => {
    const url = `${await start()}/audio/v1/generate`;
    const { output, usage } = (await (await post(url, { input: "la" })).json()) as {
      output: { audio_url: string };
      usage: object;
    };
    expect(usage).toEqual({ seconds: 0.5 });
    const wav = Buffer.from(output.audio_url.slice("data:audio/wav;base64,".length), "base64");
    expect(wav.subarray(0, 4).toString() + wav.subarray(8, 16).toString()).toBe("RIFFWAVEfmt ");
    expect([wav.readUInt32LE(4), wav.readUInt32LE(40)]).toEqual([wav.length - 8, wav.length - 44]);
    expect((await post(url, { input: "la", parameters: { format: "mp3" } })).status).toBe(400);
  });
});

describe("refusals", () => {
  it("takes the key as a bearer or as x-api-key, and nothing else", async () => {
    const url = `${await start({ key: "my-key" })}/v1/generate`;
    const statusWith = async (headers: Record<string, string>) => (await post(url, { input: "hello" }, headers)).status;
    expect(await statusWith({ authorization: "Bearer my-key" })).toBe(200);
    expect(await statusWith({ "x-api-key": "my-key" })).toBe(200);
    expect(await statusWith({ authorization: "Bearer demo-key" })).toBe(401);
    expect(await statusWith({ "x-api-key": "" })).toBe(401);
    expect(await statusWith({})).toBe(401);
  });

  it("never lets anyone in by an empty key", async () => {
    const url = `${await start({ key: "" })}/v1/generate`;
    for (const headers of [{}, { "x-api-key": "" }]) {
      expect((await post(url, { input: "hello" }, headers)).status).toBe(401);
    }
  });

  it.each([
    ["malformed JSON", '{"input": "hel', 400],
    ["a body that is no object", "null", 400],
    ["no input", { parameters: {} }, 400],
    ["an input without a word", { input: " \n" }, 400],
    ["parameters that are no object", { input: "hello", parameters: 1 }, 400],
    ["a body over 1 MiB", { input: "x".repeat(1024 * 1024) }, 413],
  ])("answers %s with the status as the code", async (_case, body, status) => {
    const response = await post(`${await start()}/v1/generate`, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: { message: expect.any(String), code: status } });
  });

  it("answers 404 for an unknown path and 405 for another method", async () => {
    const base = await start();
    expect((await post(`${base}/v2/generate`, { input: "hello" })).status).toBe(404);
    const got = await fetch(`${base}/v1/generate`, { headers: bearer });
    expect([got.status, got.headers.get("allow")]).toEqual([405, "POST"]);
  });

  it("answers 429 with Retry-After over its limit, and serves again a second later", async () => {
    let now = 5_000;
    const url = `${await start({ maxPerSecond: 1, now: () => now })}/v1/generate`;
    expect((await post(url, { input: "hello" })).status).toBe(200);
    const refused = await post(url, { input: "hello" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await refused.json()).toMatchObject({ error: { code: 429 } });
    now += 1_000;
    expect((await post(url, { input: "hello" })).status).toBe(200);
  });
});

it("listens when it is run as a program, with its settings from the environment", async () => {
  const file = fileURLToPath(new URL("./provider.mjs", import.meta.url));
  const child = spawn(process.execPath, [file], {
    env: { PORT: "0", PROVIDER_KEY: "from-env" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = await once(createInterface(child.stdout), "line");
    const url = /http:\S+/.exec(String(line))?.[0] ?? "";
    expect((await post(url, { input: "hello" }, { "x-api-key": "from-env" })).status).toBe(200);
    expect((await post(url, { input: "hello" })).status).toBe(401);
  } finally {
    child.kill();
  }
});
