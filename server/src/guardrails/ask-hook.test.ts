import { systemClock } from "@trunkline/core/clock.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { openForTest } from "@trunkline/testing/throwaway-dialer.ts";
import { serveHttp, serveTcp } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it } from "vitest";
import { askHook, explainHookFailure } from "./ask-hook.ts";
import type { OpenGuardrailHook } from "./guardrail-hook.ts";

function hookAt(url: string): OpenGuardrailHook {
  return {
    id: "hook",
    accountId: "account",
    url,
    sides: ["input"],
    timeoutMs: 30_000,
    onFailure: "refuse",
    stream: "whole",
    sectionCharacters: 500,
    description: "",
    mayDialPrivate: true,
    enabled: true,
    createdAt: new Date(0),
    secret: new Secret("whsec_c2VjcmV0"),
  };
}

const TEXT = { role: "user", type: "text", text: "Hello" } as const;

function ask(url: string) {
  const question = {
    side: "input",
    requestId: "r",
    keyId: "k",
    path: "/",
    model: "m",
    tags: {},
    texts: [TEXT],
  } as const;
  return askHook(openForTest(), systemClock, hookAt(url), question, new AbortController().signal);
}

/** What is decided where a hook answers with this. */
async function decide(body: string) {
  const { url } = await serveHttp((_request, response) => response.end(body));
  return ask(url);
}

const NO_DECISION = { action: "failed", why: "answered with something that is not a decision" };

describe("a hook's answer", () => {
  it.each([
    ["twice the same field", '{"action":"refuse","action":"allow"}'],
    ["deep nesting, which would take long to parse", "[".repeat(1_000_000)],
    ["deep nesting beside a decision", `{"action":"allow","x":${"[".repeat(100)}${"]".repeat(100)}}`],
    ["far more values than were asked for", `{"action":"allow","x":[${"[],".repeat(5_000)}1]}`],
    ["far more texts than were asked about", `{"action":"redact","texts":[${'"",'.repeat(5_000)}""]}`],
  ])("is no decision with %s", async (_case, body) => {
    expect(await decide(body)).toEqual(NO_DECISION);
  });

  it("may have fields that are not known, and texts of every length", async () => {
    const text = '"\\{[,'.repeat(100_000);
    const body = JSON.stringify({ action: "redact", texts: [text], version: { of: ["hook", 1] } });
    expect(await decide(body)).toEqual({ action: "redact", texts: [text], annotations: {} });
  });

  it("gives a reason that is one line of plain text", async () => {
    const reason = "  no\r\nset-cookie: x=1\u0000\u202eback\u2028  ";
    expect(await decide(JSON.stringify({ action: "refuse", reason }))).toEqual({
      action: "refuse",
      reason: "no set-cookie: x=1 back",
      annotations: {},
    });
    expect(await decide(JSON.stringify({ action: "refuse", reason: "\u0000" }))).toMatchObject({ reason: undefined });
  });

  it("that can't be had is explained in a sentence", async () => {
    const { url } = await serveTcp((socket) =>
      socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n"),
    );
    expect(await ask(url)).toEqual({ action: "failed", why: "the answer was not valid HTTP" });
    expect(explainHookFailure("the answer was not valid HTTP")).toBe(
      "the guardrail hook could not be asked: the answer was not valid HTTP",
    );
    expect(explainHookFailure("answered 500")).toBe("the guardrail hook could not be asked: it answered 500");
  });
});
