import type { Inference } from "@trunkline/core/inference.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import {
  broken,
  candidateCalled,
  finish,
  hello,
  inference,
  type Script,
  says,
  stage,
  usage,
  world,
} from "@trunkline/testing/scripted-call.ts";
import { describe, expect, it } from "vitest";

const text = (words: string): Part => ({ type: "text", text: words });
const wordsOf = (parts: readonly Part[]) => parts.map((part) => (part.type === "text" ? part.text : "")).join("");

/** Records the requests that a script gets. */
function recording(asked: Inference[], script: Script): Script {
  return (call) => {
    asked.push(call.inference);
    return script(call);
  };
}

/** The answer so far, as a model gets it that continues the answer. */
function answerSoFar({ conversation }: Inference): string {
  const [turn] = conversation.messages.flatMap(({ role, content }) => (role === "assistant" ? content : []));
  return turn?.type === "text" ? turn.text : "";
}

const STORY = Array.from({ length: 20 }, (_, day) => `On day ${day} it was ${day * 7} words. `)
  .join("")
  .slice(0, 336);

/** Tells the story from where it stopped, and breaks off after this many characters. */
const tells = (characters: number): Script =>
  async function* (call) {
    const from = answerSoFar(call.inference).length;
    for (let at = from; at < STORY.length; at += 5) {
      if (at + 5 > from + characters) throw broken();
      yield text(STORY.slice(at, Math.min(STORY.length, at + 5)));
    }
    yield finish;
  };

describe("a provider that breaks off in the middle of its answer", () => {
  it("is followed by the next candidate, and the client reads one answer", async () => {
    const asked: Inference[] = [];
    const run = stage({ a: says(hello, broken("it died")), b: recording(asked, says(world, usage, finish)) });
    expect(await run.drain()).toEqual({ received: [hello, world, usage, finish], error: undefined });
    expect(run.chosen).toEqual(["a", "b"]);
    expect(asked.map(answerSoFar)).toEqual(["Hello"]);
    expect(run.attempts).toMatchObject([
      { model: "acme/a", outcome: "cut-off", reason: "it died" },
      { model: "acme/b", outcome: "answered" },
    ]);
  });

  it("is not followed by a model that failed before in this request", async () => {
    const run = stage({ a: says(broken()), b: says(hello, broken()), c: says(world, finish) });
    expect(wordsOf((await run.drain()).received)).toBe("Hello world");
    expect(run.called).toEqual(["a", "b", "c"]);
  });

  it("is called again itself if no other model is left and it adds enough", async () => {
    const run = stage({ a: tells(120) });
    const { received, error } = await run.drain();
    expect(error).toBeUndefined();
    expect(wordsOf(received)).toBe(STORY);
    expect(received.filter(({ type }) => type === "finish")).toHaveLength(1);
    expect(run.called).toHaveLength(3);
  });

  it("is called again twice and no more", async () => {
    const run = stage({ a: tells(100) });
    const { received, error } = await run.drain();
    expect(error).toBeInstanceOf(ProviderFailure);
    expect(wordsOf(received)).toBe(STORY.slice(0, 300));
    expect(run.called).toHaveLength(3);
  });

  it.each([
    ["a word for a long request", 5, 400, 1],
    ["almost a quarter of what it read", 60, 61, 1],
    ["a quarter of what it read", 60, 60, 3],
    ["a paragraph, however long the request", 256, 100_000, 2],
  ])(
    "is called again only if what it adds is worth what it reads: %s",
    async (_what, characters, inputTokens, calls) => {
      const candidate = candidateCalled("a");
      const quoted = { ...candidate, quote: { ...candidate.quote, inputTokens } };
      const run = stage({ a: tells(characters) }, { candidates: [quoted] });
      await run.drain();
      expect(run.called).toHaveLength(calls);
    },
  );

  it.each([
    ["its credit is spent", new ProviderFailure("refused", "has no credit left for us", { outage: "funds" })],
    ["it asks for a pause", new ProviderFailure("rate-limited", "too many", { retryAfterSeconds: 1 })],
  ])("is not called again if %s", async (_why, failure) => {
    const run = stage({ a: says(text(STORY), failure) });
    expect(await run.drain()).toEqual({ received: [text(STORY)], error: failure });
    expect(run.called).toEqual(["a"]);
  });

  it("is followed by models that were not called yet, however little it added", async () => {
    const long = ["a", "b", "c"].map((name) => {
      const candidate = candidateCalled(name);
      return { ...candidate, quote: { ...candidate.quote, inputTokens: 1_000 } };
    });
    const run = stage({ a: tells(5), b: tells(5), c: tells(400) }, { candidates: long });
    expect(wordsOf((await run.drain()).received)).toBe(STORY);
    expect(run.called).toEqual(["a", "b", "c"]);
  });

  it("is followed by one model after the other, including those that broke off before", async () => {
    const run = stage({ a: tells(60), b: tells(60), c: tells(60) });
    expect(wordsOf((await run.drain()).received)).toBe(STORY);
    expect(run.chosen).toEqual(["a", "b", "c", "a", "b", "c"]);
  });

  it("ends the answer after eight calls", async () => {
    const run = stage({ a: tells(10), b: tells(10), c: tells(10) });
    const { received, error } = await run.drain();
    expect(error).toBeInstanceOf(ProviderFailure);
    expect(STORY.startsWith(wordsOf(received))).toBe(true);
    expect(run.called).toHaveLength(8);
  });

  it("ends the answer with its failure if no model adds anything", async () => {
    const failure = broken("it died");
    const nothing: Part = { type: "thinking", text: "Nothing to add." };
    const tooLong: Part = { type: "finish", reason: "length" };
    const run = stage({ a: says(hello, failure), b: says(nothing, usage, tooLong), c: says(broken("down")) });
    expect(await run.drain()).toEqual({ received: [hello], error: failure });
    expect(run.chosen).toEqual(["a"]);
    expect(run.attempts).toMatchObject([
      { model: "acme/a", outcome: "cut-off" },
      { model: "acme/b", outcome: "failed", reason: "had nothing to add to the answer" },
      { model: "acme/c", outcome: "failed" },
    ]);
    expect(run.health.of("b").errorRate).toBe(0);
  });

  it.each<[string, readonly Part[]]>([
    ["silent", []],
    ["thoughtful", [{ type: "thinking", text: "It is all there." }]],
    ["repeating it", [text("All is said. And all is "), text("done.")]],
  ])("has lost nothing but the end if the next model finishes without adding anything: %s", async (_how, steps) => {
    const whole = text("All is said. And all is done.");
    const run = stage({ a: says(whole, broken()), b: says(...steps, usage, finish), c: says(world) });
    expect(await run.drain()).toEqual({ received: [whole, finish], error: undefined });
    expect(run.chosen).toEqual(["a"]);
    expect(run.called).toEqual(["a", "b"]);
    expect(run.attempts).toMatchObject([{ outcome: "cut-off" }, { model: "acme/b", outcome: "answered" }]);
  });

  it("needs nothing from the retry budget", async () => {
    const run = stage({ a: says(hello, broken()), b: says(world, finish) }, { mayRetry: () => false });
    expect(wordsOf((await run.drain()).received)).toBe("Hello world");
  });

  it("is followed by a model with an open breaker if there is no other", async () => {
    const run = stage({ a: says(hello, broken()), b: says(world, finish) });
    for (const model of ["a", "b"]) for (let call = 0; call < 5; call++) run.health.observe(model).failed(broken());
    expect(wordsOf((await run.drain()).received)).toBe("Hello world");
  });
});

describe("a continuation", () => {
  it("is quoted for the longer request and covered, or skipped", async () => {
    const covered: string[] = [];
    const run = stage(
      { a: says(hello, broken()), b: says(text("!")), c: says(text("?")), d: says(world, finish) },
      {
        requote: (candidate, { conversation }) => {
          if (candidate.model.name === "b") return undefined;
          const inputTokens = conversation.messages.length;
          return { ...candidate, quote: { ...candidate.quote, inputTokens } };
        },
        coverCost: async ({ model, quote }) => {
          covered.push(`${model.name} ${quote.inputTokens}`);
          return model.name !== "c";
        },
      },
    );
    expect(wordsOf((await run.drain()).received)).toBe("Hello world");
    const { inputTokens } = candidateCalled("a").quote;
    expect(covered).toEqual([`a ${inputTokens}`, "c 3", "d 3"]);
  });

  it("is announced with its new quote at its first new words, and not for what it repeats", async () => {
    const announced: number[] = [];
    const asked: Part[] = [text("The quick brown fox"), text(" jumps")];
    const run = stage(
      { a: says(text("The quick brown fox"), broken()), b: says(...asked, finish) },
      {
        requote: (candidate) => ({ ...candidate, quote: { ...candidate.quote, inputTokens: 99 } }),
        onChosen: ({ quote }) => announced.push(quote.inputTokens),
      },
    );
    const parts = run.parts;
    await parts.next();
    expect(announced).toHaveLength(1);
    expect((await parts.next()).value).toEqual(text(" jumps"));
    expect(announced.at(-1)).toBe(99);
    await parts.return(undefined);
  });

  it("does not deliver its thoughts, but its usage", async () => {
    const thought: Part = { type: "thinking", text: "Where was I?" };
    const run = stage({ a: says(hello, broken()), b: says(thought, usage, world, finish) });
    expect((await run.drain()).received).toEqual([hello, usage, world, finish]);
  });

  it("may end the answer with a tool call, which is not continued", async () => {
    const call: Part = { type: "tool-call", id: "1", name: "look", arguments: "{}" };
    const failure = broken("it died, too");
    const run = stage({ a: says(hello, broken()), b: says(text(" wor"), call, failure), c: says(world) });
    expect(await run.drain()).toEqual({ received: [hello, text(" wor"), call], error: failure });
    expect(run.called).toEqual(["a", "b"]);
  });

  it("does not happen in the middle of a thought, which only its own model can sign", async () => {
    const failure = broken();
    const thought: Part = { type: "thinking", text: "Hm." };
    const run = stage({ a: says(thought, failure), b: says(thought, hello, finish) });
    expect(await run.drain()).toEqual({ received: [thought], error: failure });
    expect(run.called).toEqual(["a"]);
  });

  it("answers the original request if only complete thoughts came", async () => {
    const asked: Inference[] = [];
    const thought: Part = { type: "thinking", text: "Hm.", signature: "signed" };
    const run = stage({ a: says(thought, broken()), b: recording(asked, says(thought, hello, finish)) });
    expect((await run.drain()).received).toEqual([thought, thought, hello, finish]);
    expect(asked[0]?.conversation).toEqual(inference.conversation);
  });

  it("does not happen if the answer has reached its maximum length", async () => {
    const limited = { ...inference, parameters: { ...inference.parameters, maxTokens: 1 } };
    const run = stage({ a: says(hello, broken()), b: says(world) }, { inference: limited });
    expect((await run.drain()).received).toEqual([hello, { type: "finish", reason: "length" }]);
    expect(run.called).toEqual(["a"]);
  });

  it("does not happen after the client disconnected", async () => {
    const gone = new Error("gone");
    const run = stage({
      a: async function* () {
        yield hello;
        run.controller.abort(gone);
        throw broken();
      },
      b: says(world),
    });
    expect((await run.drain()).error).toBe(gone);
    expect(run.called).toEqual(["a"]);
  });
});

it("counts an answer as whole that fails after its finish part", async () => {
  const run = stage({ a: says(hello, finish, broken()), b: says(world) });
  expect(await run.drain()).toEqual({ received: [hello, finish], error: undefined });
  expect(run.attempts).toMatchObject([{ outcome: "answered" }]);
});
