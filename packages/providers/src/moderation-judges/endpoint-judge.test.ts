import { json } from "node:stream/consumers";
import { Secret } from "@trunkline/core/secret.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import { openForTest } from "@trunkline/testing/throwaway-dialer.ts";
import { findDeadPort, serveHttp } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it } from "vitest";
import { endpointJudge } from "./endpoint-judge.ts";
import { JUDGE_FORMATS } from "./moderation-formats.ts";

const QUESTION = { text: "Hello.", channel: "user" } as const;
const unending = () => new AbortController().signal;
const judgeAt = (url: string) =>
  endpointJudge({
    dialer: openForTest(),
    url,
    key: new Secret("key-of-the-judge"),
    model: "guard-1",
    format: JUDGE_FORMATS["openai-moderation"],
  });

describe("a moderation endpoint", () => {
  it("is called once, at its whole URL, with its key", async () => {
    const seen: unknown[] = [];
    const { url } = await serveHttp(async (request, response) => {
      seen.push([request.method, request.url, request.headers.authorization, await json(request)]);
      response.end(JSON.stringify({ results: [{ categories: {}, category_scores: { hate: 0.3 } }] }));
    });
    const answer = await judgeAt(`${url}/v1/moderations?version=2`).ask(QUESTION, unending());
    expect(answer).toEqual({ scores: { hate: 0.3 } });
    const body = { model: "guard-1", input: ["Hello."] };
    expect(seen).toEqual([["POST", "/v1/moderations?version=2", "Bearer key-of-the-judge", body]]);
  });

  it.each([429, 500, 302, 204])("gives no opinion with status %i, and is not called again", async (status) => {
    let calls = 0;
    const { url } = await serveHttp((_request, response) => {
      calls += 1;
      response.writeHead(status, { location: "http://127.0.0.1:1/" }).end();
    });
    await expect(judgeAt(url).ask(QUESTION, unending())).rejects.toMatchObject({ kind: "unreachable" });
    expect(calls).toBe(1);
  });

  it("gives no opinion where it is unreachable or its response is unreadable", async () => {
    const away = judgeAt(`http://127.0.0.1:${await findDeadPort()}/`);
    await expect(away.ask(QUESTION, unending())).rejects.toMatchObject({ kind: "unreachable" });
    const { url } = await serveHttp((_request, response) => void response.end("<html>"));
    await expect(judgeAt(url).ask(QUESTION, unending())).rejects.toMatchObject({ kind: "unreadable" });
  });

  it("is aborted when the time is over", async () => {
    const arrived = newGate();
    const { url, hungUp } = await serveHttp(() => arrived.open());
    const box = new AbortController();
    const asked = judgeAt(url).ask(QUESTION, box.signal);
    asked.catch(() => undefined);
    await arrived.opened;
    box.abort();
    await expect(asked).rejects.toMatchObject({ name: "JudgeFailure" });
    await hungUp;
  });
});
