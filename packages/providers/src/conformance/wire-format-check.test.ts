import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { troubles } from "@trunkline/testing/conformance-trial.ts";
import { makeModel } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";
import { checkWireFormat } from "./wire-format-check.ts";

type Script = (call: ProviderCall) => readonly Part[] | ProviderFailure;

const text: Part = { type: "text", text: "Hello." };
const usage: Part = { type: "usage", inputTokens: 4, outputTokens: 2 };
const stop: Part = { type: "finish", reason: "stop" };
const refused = new ProviderFailure("refused", "refused our credential");

/** Answers requests with the right key and model name. */
const sound: Script = ({ model }) =>
  model.credential?.reveal() !== "right" || model.upstreamModel !== undefined ? refused : [text, usage, stop];

function check(script: Script, model: Partial<Model> = {}, signal = new AbortController().signal) {
  const adapter = {
    async *call(call: ProviderCall) {
      const outcome = script(call);
      if (outcome instanceof Error) throw outcome;
      yield outcome;
    },
  };
  const target = makeModel({
    wire: "gemini",
    authType: "bearer",
    credential: new Secret("right"),
    streaming: true,
    ...model,
  });
  return checkWireFormat(adapter, target, signal);
}

/** Answers as a sound model does, except for requests of this kind. */
const but =
  (isMeant: (call: ProviderCall) => boolean, outcome: ReturnType<Script>): Script =>
  (call) =>
    isMeant(call) ? outcome : sound(call);
const isStream = ({ inference }: ProviderCall) => inference.streaming;
const isWrongKey = ({ model }: ProviderCall) => model.credential?.reveal() !== "right";
const isWrongName = ({ model }: ProviderCall) => model.upstreamModel !== undefined;

describe("checkWireFormat", () => {
  it("has no findings about a sound model", async () => {
    const report = await check(sound);
    expect(troubles(report)).toEqual([]);
    expect(report.passed).toBe(true);
  });

  it.each<[string, Script, string[]]>([
    ["does not answer", () => refused, ["plain-answer: fail"]],
    ["is of another kind", () => new ProviderFailure("broken", "is odd"), ["plain-answer: fail"]],
    [
      "says nothing",
      but((call) => !isStream(call) && !isWrongKey(call) && !isWrongName(call), [usage, stop]),
      ["output-form: fail"],
    ],
    ["counts nothing", but((call) => !isWrongKey(call) && !isWrongName(call), [text, stop]), ["usage: warn"]],
    [
      "counts in words",
      but((call) => !isWrongKey(call) && !isWrongName(call), [text, { ...usage, inputTokens: "four" }, stop]),
      ["usage: warn"],
    ],
    ["streams nothing", but(isStream, [usage, stop]), ["streaming: fail"]],
    ["breaks in a stream", but(isStream, new ProviderFailure("broken", "fell silent")), ["streaming: fail"]],
    ["serves strangers", but(isWrongKey, [text, stop]), ["wrong-credential: warn"]],
    ["breaks on a wrong key", but(isWrongKey, new ProviderFailure("broken", "broke")), ["wrong-credential: warn"]],
    ["answers to any name", but(isWrongName, [text, stop]), ["wrong-model: warn"]],
  ])("detects a model that %s", async (_what, script, expected) => {
    const report = await check(script);
    expect(troubles(report)).toEqual(expected);
    expect(report.passed).toBe(!expected.some((trouble) => trouble.endsWith("fail")));
  });

  it("requires no more of a model than its type and registration say", async () => {
    const asked: string[] = [];
    const vector: Part = { type: "embedding", index: 0, vector: [1] };
    const script: Script = ({ inference }) => {
      asked.push(inference.task.kind);
      return [vector, stop];
    };
    const report = await check(script, { type: "embedding", authType: "none", credential: undefined });
    expect(asked).toEqual(["embedding", "embedding"]);
    expect(troubles(report)).toEqual(["wrong-model: warn"]);
    const media: Part = { type: "media", kind: "image", url: "data:,", source: {} };
    expect(troubles(await check(() => [media, stop], { type: "image" }))).not.toContain("output-form: fail");
    expect(troubles(await check(() => [text, stop], { type: "image" }))).toContain("output-form: fail");
  });

  it("has no findings when it is cancelled, and hides no bug", async () => {
    const callOff = new AbortController();
    const script: Script = () => {
      callOff.abort(new Error("called off"));
      return refused;
    };
    await expect(check(script, {}, callOff.signal)).rejects.toThrow("called off");
    const bug: Script = () => {
      throw new TypeError("a bug");
    };
    await expect(check(bug)).rejects.toThrow("a bug");
  });
});
