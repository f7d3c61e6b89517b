import { inferenceOf, partsOf, talkOf, wordsIn } from "@trunkline/testing/builtin-inference.ts";
import { describe, expect, it } from "vitest";
import { createGuide } from "./guide.ts";

const docs = [
  {
    file: "README.md",
    text: "# Trunkline\n\nTrunkline is one door to every AI model. One key and one balance are enough.\n",
  },
  {
    file: "docs/quick-start.md",
    text: `# Quick start

## Install

You need Node 20. Start the service with one command:

\`\`\`sh
npm start
\`\`\`

## First request

Send a task and an input to the service.

\`\`\`sh
curl localhost:8080/v1/ai/request -d '{"task": "chat", "input": "Hello"}'
\`\`\`
`,
  },
  {
    file: "docs/keys.md",
    text: `# Keys

## Create a key

Send \`POST /v1/keys\` with a name and scopes. The secret is shown once.

## Revoke a key

Send \`DELETE /v1/keys/{id}\`. Every instance refuses the key within a second.
`,
  },
  {
    file: "docs/errors.md",
    text: `# Errors

| status | type | when |
|---|---|---|
| 402 | insufficient_balance | the balance cannot cover the estimate |
| 429 | rate_limited | too many requests came in a minute |
`,
  },
  {
    file: "docs/routing.md",
    text: `# Routing

Without a name the service chooses a model by cost, speed or quality.

When a provider fails, the next candidate is tried. Failover never changes what you named.
`,
  },
];

const guide = createGuide(docs);
const ask = async (...messages: readonly string[]) => wordsIn(await partsOf(guide, inferenceOf(talkOf(...messages))));

describe("the guide", () => {
  it.each([
    ["How do I create an API key?", "docs/keys.md › Create a key", "POST /v1/keys"],
    ["How can I revoke my keys?", "docs/keys.md › Revoke a key", "DELETE /v1/keys/{id}"],
    ["how to install", "docs/quick-start.md › Install", "npm start"],
    ["Show me a first request", "docs/quick-start.md › First request", "curl localhost:8080"],
    ["what does 402 mean", "docs/errors.md › Errors", "the balance cannot cover the estimate"],
    ["What happens when a provider is failing?", "docs/routing.md › Routing", "the next candidate is tried"],
    ["What is a fallback?", "docs/routing.md › Routing", "Failover"],
  ])("answers %j from the right section", async (question, source, fact) => {
    const answer = await ask(question);
    expect(answer).toContain(source);
    expect(answer).toContain(fact);
  });

  it("shows an example as code", async () => {
    expect(await ask("How do I install it?")).toContain("```sh\nnpm start\n```");
  });

  it("answers with the matching row of a table", async () => {
    const answer = await ask("Why did I get a 429?");
    expect(answer).toContain("too many requests");
  });

  it("says what Trunkline is", async () => {
    const answer = await ask("What is Trunkline?");
    expect(answer).toContain("one door to every AI model");
    expect(answer).toContain("Sources: README.md › Trunkline");
  });

  it("reads a follow-up question together with the one before", async () => {
    expect(await ask("How do I create a key?", "And how do I revoke it?")).toContain("docs/keys.md › Revoke a key");
  });

  it.each([
    "What is the capital of France?",
    "Write a poem about the sea",
    "How do I bake bread with a sourdough starter?",
    "What is 2 + 2?",
    "你好，今天天气怎么样？",
  ])("says that it does not know: %j", async (question) => {
    const answer = await ask(question);
    expect(answer).toMatch(/^I only know Trunkline's documentation/);
    expect(answer).toContain("/v1/provider/models");
    expect(answer).not.toContain("Sources");
  });

  it("answers a greeting with an introduction", async () => {
    expect(await ask("Hello!")).toContain("built-in guide");
  });

  it("says that it has no documentation", async () => {
    const answer = wordsIn(await partsOf(createGuide([]), inferenceOf("How do I create a key?")));
    expect(answer).toMatch(/^I only know/);
  });

  it("ends with the usage", async () => {
    const parts = await partsOf(guide, inferenceOf("How do I create a key?"));
    const words = wordsIn(parts);
    expect(parts.slice(-2)).toEqual([
      { type: "usage", inputTokens: 6, outputTokens: Math.ceil(words.length / 4) },
      { type: "finish", reason: "stop" },
    ]);
  });

  it("keeps to max_tokens", async () => {
    const parts = await partsOf(guide, inferenceOf("How do I create a key?", { maxTokens: 5 }));
    expect(wordsIn(parts)).toHaveLength(20);
    expect(parts.at(-1)).toEqual({ type: "finish", reason: "length" });
  });

  it("handles a very long question", async () => {
    expect(await ask("key ".repeat(100_000))).toContain("docs/keys.md");
  });
});
