import type { Conversation, Message, Tool } from "@trunkline/core/conversation.ts";
import type { Parameters } from "@trunkline/core/inference.ts";
import {
  askMessages,
  assistant,
  block,
  LOOK,
  OPUS,
  PLAIN,
  SONNET,
  system,
  user,
  withMessages,
  withParameters,
} from "@trunkline/testing/ask-messages.ts";
import { NO_PARAMETERS } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";

describe("body", () => {
  describe("a request to the Messages API", () => {
    it("asks for a stream where the client wants one and the model supports it", () => {
      expect(askMessages({ streaming: true })).toMatchObject({ streaming: true, body: { stream: true } });
      expect(askMessages({ streaming: true }, { streaming: false })).toMatchObject({ streaming: false });
      expect(askMessages({ streaming: false }).body).not.toHaveProperty("stream");
    });

    it.each([
      ["the client's own", 7, 100, 7],
      ["the model's, where the client sets none", undefined, 100, 100],
      ["the quoted default, where neither sets one", undefined, undefined, 4096],
    ])("limits the answer: %s", (_what, maxTokens, maxOutputTokens, expected) => {
      const parameters = { ...NO_PARAMETERS, maxTokens };
      expect(askMessages({ parameters }, { maxOutputTokens }).body.max_tokens).toBe(expected);
    });

    it("sends the credential in the configured header", () => {
      expect(askMessages({}).headers).not.toHaveProperty("authorization");
      expect(askMessages({}).headers).toMatchObject({ "anthropic-version": "2023-06-01" });
    });
  });

  describe("cache breakpoints", () => {
    it("are kept on everything that supports them, with their TTL", () => {
      const cache = { ttl: "1h" } as const;
      const url = "data:image/png;base64,AAAA";
      const { body, dropped } = askMessages({
        conversation: {
          messages: [
            { role: "system", content: [{ type: "text", text: "Long.", cache: { ttl: undefined } }] },
            {
              role: "user",
              content: [
                { type: "text", text: "One", cache },
                { type: "attachment", kind: "image", url, cache },
                { type: "attachment", kind: "file", url: "https://example.test/a.pdf", cache },
              ],
            },
            {
              role: "assistant",
              content: [{ type: "tool-call", id: "t1", name: "look", arguments: "{}", cache }],
            },
            { role: "tool", content: [{ type: "tool-result", id: "t1", text: "Rain.", cache }] },
          ],
          tools: [{ ...LOOK, cache: { ttl: "5m" } }],
        },
      });
      const cache_control = { type: "ephemeral", ttl: "1h" };
      expect(body.system).toEqual([{ ...block("Long."), cache_control: { type: "ephemeral" } }]);
      const blocks = body.messages.flatMap(({ content }: { content: unknown[] }) => content);
      expect(blocks).toHaveLength(5);
      for (const one of blocks) expect(one).toMatchObject({ cache_control });
      expect(body.tools).toMatchObject([{ name: "look", cache_control: { type: "ephemeral", ttl: "5m" } }]);
      expect(dropped).toEqual([]);
    });
  });

  describe("tools", () => {
    const choose = (more: Partial<Conversation>, name = SONNET) =>
      askMessages({ conversation: { ...PLAIN, tools: [LOOK], ...more } }, { upstreamModel: name });

    it("are declared with their schemas", () => {
      const bare: Tool = { name: "bare", description: "", inputSchema: undefined, strict: true };
      expect(choose({ tools: [LOOK, bare] }).body.tools).toEqual([
        { name: "look", description: "Looks.", input_schema: { type: "object" } },
        { name: "bare", input_schema: { type: "object" }, strict: true },
      ]);
      expect(choose({ tools: [bare] }, "kimi-k2")).toMatchObject({ dropped: ["strict"] });
    });

    it.each<[Partial<Conversation>, unknown]>([
      [{}, undefined],
      [{ toolChoice: "auto" }, { type: "auto" }],
      [{ toolChoice: "none" }, { type: "none" }],
      [{ toolChoice: "required" }, { type: "any" }],
      [{ toolChoice: { name: "look" } }, { type: "tool", name: "look" }],
      [{ parallelToolCalls: false }, { type: "auto", disable_parallel_tool_use: true }],
      [{ parallelToolCalls: true }, undefined],
      [
        { toolChoice: "required", parallelToolCalls: false },
        { type: "any", disable_parallel_tool_use: true },
      ],
    ])("are chosen according to %j", (more, expected) => {
      expect(choose(more).body.tool_choice).toEqual(expected);
    });

    it("can't be forced on a model that always thinks", () => {
      const { body, dropped } = choose({ toolChoice: "required" }, "claude-opus-5-5");
      expect(body).not.toHaveProperty("tool_choice");
      expect(dropped).toEqual(["tool_choice"]);
    });

    it("have no choice where there are none", () => {
      expect(choose({ tools: [], toolChoice: "required" }).body).not.toHaveProperty("tool_choice");
    });
  });

  describe("fields of this format only", () => {
    it("are passed on where they can't add cost, and reported otherwise", () => {
      const { body, headers, dropped } = askMessages({
        extras: {
          wire: "anthropic",
          fields: {
            metadata: { user_id: "u1" },
            service_tier: "standard_only",
            cache_control: { type: "ephemeral", ttl: "1h" },
            "anthropic-beta": "interleaved-thinking-2025-05-14, context-1m-2025-08-07",
            speed: "fast",
            max_tokens: 9,
            toString: "x",
          },
        },
      });
      expect(body).toMatchObject({
        metadata: { user_id: "u1" },
        service_tier: "standard_only",
        cache_control: { type: "ephemeral", ttl: "1h" },
        max_tokens: 4096,
      });
      expect(headers).toMatchObject({ "anthropic-beta": "interleaved-thinking-2025-05-14" });
      expect(dropped).toEqual(["anthropic-beta:context-1m-2025-08-07", "speed", "max_tokens", "toString"]);
    });

    it.each([
      ["metadata", { user_id: "u1", other: "x" }],
      ["metadata", "u1"],
      ["service_tier", "priority"],
      ["cache_control", { type: "forever" }],
    ])("are not passed on where %s is %j", (name, value) => {
      const { body, dropped } = askMessages({ extras: { wire: "anthropic", fields: { [name]: value } } });
      expect(body).not.toHaveProperty(name);
      expect(dropped).toEqual([name]);
    });

    it("of another format are reported and left out", () => {
      const { body, dropped } = askMessages({
        extras: { wire: "openai", fields: { metadata: { user_id: "u" } } },
      });
      expect(body).not.toHaveProperty("metadata");
      expect(dropped).toEqual(["metadata"]);
    });
  });
});

describe("turns", () => {
  describe("the turns of a conversation", () => {
    it("begin with the user and alternate, with leading instructions before them", () => {
      const body = withMessages(
        system("Be kind."),
        { role: "developer", content: [{ type: "text", text: "Be brief." }] },
        user("One"),
        user("Two"),
        assistant("Three"),
        assistant("Four"),
        user("Five"),
      );
      expect(body.system).toEqual([block("Be kind."), block("Be brief.")]);
      expect(body.messages).toEqual([
        { role: "user", content: [block("One"), block("Two")] },
        { role: "assistant", content: [block("Three"), block("Four")] },
        { role: "user", content: [block("Five")] },
      ]);
    });

    it("keep instructions in the middle in their position, labelled as instructions", () => {
      const body = withMessages(user("One"), assistant("Two"), system("Now in French."), user("Three"));
      expect(body.system).toBeUndefined();
      expect(body.messages).toEqual([
        { role: "user", content: [block("One")] },
        { role: "assistant", content: [block("Two")] },
        { role: "user", content: [block("<system>\nNow in French.\n</system>"), block("Three")] },
      ]);
    });

    it("contain instructions as a separate turn where the model and the position allow it", () => {
      const messages = [user("One"), system("In French."), system("Briefly."), assistant("Deux"), user("Three")];
      const conversation = { messages: [...messages, system("In German.")], tools: [] };
      expect(askMessages({ conversation }, { upstreamModel: OPUS }).body.messages).toEqual([
        { role: "user", content: [block("One")] },
        { role: "system", content: [block("In French."), block("Briefly.")] },
        { role: "assistant", content: [block("Deux")] },
        { role: "user", content: [block("Three")] },
        { role: "system", content: [block("In German.")] },
      ]);
      const late = {
        messages: [user("One"), assistant("Two"), system("In French."), user("Three")],
        tools: [],
      };
      expect(askMessages({ conversation: late }, { upstreamModel: OPUS }).body.messages).toHaveLength(3);
    });

    it.each([
      ["with the assistant's", [assistant("Hi.")]],
      ["with nothing but instructions", [system("Be kind.")]],
    ])("that begin %s get an opening turn", (_what, messages) => {
      const [first, ...rest] = withMessages(...messages).messages;
      expect(first).toEqual({ role: "user", content: [block("(The conversation starts here.)")] });
      expect(rest).toHaveLength(messages[0]?.role === "assistant" ? 1 : 0);
    });

    it("leave out empty texts, which the API refuses", () => {
      expect(withMessages(user(""), user("One"), assistant("")).messages).toEqual([
        { role: "user", content: [block("One")] },
      ]);
    });

    it("move attachments of an instruction to the user's turn", () => {
      const attachment = { type: "attachment", kind: "image", url: "https://example.test/a.png" } as const;
      const body = withMessages({ role: "system", content: [{ type: "text", text: "So." }, attachment] });
      expect(body.system).toEqual([block("So.")]);
      expect(body.messages).toMatchObject([{ role: "user", content: [{ type: "image" }] }]);
    });
  });

  describe("tool calls and results", () => {
    it("are blocks, with results first in their turn", () => {
      const body = withMessages(
        user("Weather?"),
        {
          role: "assistant",
          content: [
            { type: "text", text: "I look." },
            { type: "tool-call", id: "t1", name: "look", arguments: '{"at":"Bern"}' },
            { type: "tool-call", id: "t2", name: "look", arguments: "" },
          ],
        },
        user("Quick!"),
        { role: "tool", content: [{ type: "tool-result", id: "t1", text: "Rain." }] },
        { role: "tool", content: [{ type: "tool-result", id: "t2", text: "Broken.", isError: true }] },
      );
      expect(body.messages.slice(1)).toEqual([
        {
          role: "assistant",
          content: [
            block("I look."),
            { type: "tool_use", id: "t1", name: "look", input: { at: "Bern" } },
            { type: "tool_use", id: "t2", name: "look", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: "Rain." },
            { type: "tool_result", tool_use_id: "t2", content: "Broken.", is_error: true },
            block("Quick!"),
          ],
        },
      ]);
    });

    it("have ids that the API accepts, the same for a call and its result", () => {
      const { messages } = withMessages(
        user("Weather?"),
        {
          role: "assistant",
          content: [{ type: "tool-call", id: "functions.look:0", name: "look", arguments: "[1" }],
        },
        { role: "tool", content: [{ type: "tool-result", id: "functions.look:0", text: "Rain." }] },
      );
      const [{ id, input }] = messages[1].content;
      expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
      expect(input).toEqual({ arguments: "[1" });
      expect(messages[2].content[0].tool_use_id).toBe(id);
    });

    it("may contain images", () => {
      const picture = { type: "attachment", kind: "image", url: "data:image/png;base64,AAAA" } as const;
      const result = { type: "tool-result", id: "t1", text: "See:", attachments: [picture] } as const;
      expect(withMessages(user("Draw."), { role: "tool", content: [result] }).messages[0].content[0]).toEqual({
        type: "tool_result",
        tool_use_id: "t1",
        content: [block("See:"), { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }],
      });
    });
  });

  describe("thinking of earlier turns", () => {
    it("is returned unchanged to its own provider, and otherwise left out and reported", () => {
      const content = [
        { type: "thinking", text: "Hm.", signature: "sig" },
        { type: "thinking", text: "", sealed: "c2VhbGVk" },
        { type: "thinking", text: "Another model's." },
        { type: "text", text: "Yes." },
      ] as const;
      const { body, dropped } = askMessages({
        conversation: { messages: [user("So?"), { role: "assistant", content }, user("And?")], tools: [] },
      });
      expect(body.messages[1].content).toEqual([
        { type: "thinking", thinking: "Hm.", signature: "sig" },
        { type: "redacted_thinking", data: "c2VhbGVk" },
        block("Yes."),
      ]);
      expect(dropped).toEqual(["thinking"]);
    });
  });

  describe("attachments", () => {
    const shown = (kind: "image" | "file" | "audio", url: string, name?: string) =>
      withMessages({ role: "user", content: [{ type: "attachment", kind, url, name }] }).messages[0].content[0];

    it.each([
      ["image", "data:image/jpeg;base64,/9j/", { type: "base64", media_type: "image/jpeg", data: "/9j/" }],
      ["image", "https://example.test/a.png", { type: "url", url: "https://example.test/a.png" }],
      ["file", "data:image/png;base64,AAAA", { type: "base64", media_type: "image/png", data: "AAAA" }],
    ] as const)("as %s %s are images", (kind, url, source) => {
      expect(shown(kind, url)).toEqual({ type: "image", source });
    });

    it.each([
      ["data:application/pdf;base64,JVBERi0=", { type: "base64", media_type: "application/pdf", data: "JVBERi0=" }],
      ["https://example.test/a.pdf", { type: "url", url: "https://example.test/a.pdf" }],
      ["data:text/plain;charset=utf-8;base64,Z3LDvG4=", { type: "text", media_type: "text/plain", data: "grün" }],
      ["data:text/csv,a%2Cb%0Agr%C3%BCn", { type: "text", media_type: "text/plain", data: "a,b\ngrün" }],
      ["data:application/json,{}", { type: "text", media_type: "text/plain", data: "{}" }],
    ])("as a file %s are documents", (url, source) => {
      expect(shown("file", url, "paper")).toEqual({ type: "document", source, title: "paper" });
    });

    it.each([
      ["audio", "data:audio/wav;base64,AAAA"],
      ["file", "data:application/zip;base64,AAAA"],
    ] as const)("as %s %s are left to another model", (kind, url) => {
      expect(() => shown(kind, url)).toThrow(
        expect.objectContaining({ name: "ProviderFailure", kind: "rejected", blamesEndpoint: false }),
      );
    });

    it("have no level of detail", () => {
      const content = [
        { type: "attachment", kind: "image", url: "https://example.test/a.png", detail: "high" },
      ] as const;
      expect(askMessages({ conversation: { messages: [{ role: "user", content }], tools: [] } }).dropped).toEqual([
        "image_detail",
      ]);
    });
  });
});

describe("parameters", () => {
  describe("sampling parameters", () => {
    it("are passed on", () => {
      const { body, dropped } = withParameters({ temperature: 0.5, topK: 40, stop: ["END"] });
      expect(body).toMatchObject({ temperature: 0.5, top_k: 40, stop_sequences: ["END"] });
      expect(dropped).toEqual([]);
    });

    it("outside the API's range are limited and reported", () => {
      expect(withParameters({ temperature: 1.7 })).toMatchObject({
        body: { temperature: 1 },
        dropped: ["temperature"],
      });
    });

    it("that a newer model does not accept are left out and reported", () => {
      const both = withParameters({ temperature: 0.2, topP: 0.9 });
      expect(both).toMatchObject({ body: { temperature: 0.2 }, dropped: ["top_p"] });
      expect(both.body).not.toHaveProperty("top_p");
      expect(withParameters({ temperature: 0.2, topP: 0.9 }, "kimi-k2").dropped).toEqual([]);
      const none = withParameters({ temperature: 0.2, topP: 0.9, topK: 4 }, OPUS);
      expect(none.dropped).toEqual(["temperature", "top_p", "top_k"]);
      expect(Object.keys(none.body)).toEqual(["model", "max_tokens", "messages", "stream"]);
    });

    it("that the format does not support are reported", () => {
      const { dropped } = withParameters({
        seed: 1,
        frequencyPenalty: 0.5,
        presencePenalty: 0.5,
        choices: 2,
        logprobs: 0,
        others: { house_word: true },
      });
      expect(dropped).toEqual(["seed", "frequency_penalty", "presence_penalty", "n", "logprobs", "house_word"]);
      expect(withParameters({ choices: 1, frequencyPenalty: 0 }).dropped).toEqual([]);
    });
  });

  describe("thinking", () => {
    const think = (thinking: Parameters["thinking"], name = SONNET, maxTokens = 20_000, more = {}) =>
      withParameters({ thinking, maxTokens }, name, more);

    it.each([
      ["a budget of its own", { budgetTokens: 5_000 }, 5_000],
      ["little effort", { effort: "minimal" }, 1_024],
      ["low effort", { effort: "low" }, 2_048],
      ["medium effort", { effort: "medium" }, 8_192],
      ["high effort, with room for the answer", { effort: "high" }, 16_000],
    ] as const)("by a budget: %s", (_what, thinking, budget_tokens) => {
      expect(think(thinking)).toMatchObject({
        body: { thinking: { type: "enabled", budget_tokens } },
        dropped: [],
      });
    });

    it("has a budget below the answer's limit, and a reduction is reported", () => {
      expect(think({ budgetTokens: 30_000 })).toMatchObject({
        body: { thinking: { budget_tokens: 19_999 } },
        dropped: ["thinking_budget"],
      });
      expect(think({ budgetTokens: 100 })).toMatchObject({
        body: { thinking: { budget_tokens: 1_024 } },
        dropped: ["thinking_budget"],
      });
      const short = think({ effort: "high" }, SONNET, 1_024);
      expect(short.body).not.toHaveProperty("thinking");
      expect(short.dropped).toEqual(["thinking"]);
    });

    it("excludes a temperature", () => {
      const { body, dropped } = withParameters({
        thinking: { effort: "low" },
        maxTokens: 9_000,
        temperature: 0.5,
        topK: 3,
      });
      expect(body).not.toHaveProperty("temperature");
      expect(dropped).toEqual(["temperature", "top_k"]);
    });

    it.each([
      ["claude-opus-4-6", { effort: "xhigh" }, { type: "adaptive" }, "high", []],
      ["claude-opus-4-6", { budgetTokens: 5_000 }, { type: "enabled", budget_tokens: 5_000 }, undefined, []],
      [OPUS, { effort: "xhigh" }, { type: "adaptive" }, "xhigh", []],
      [OPUS, { budgetTokens: 5_000 }, { type: "adaptive" }, "medium", ["thinking_budget"]],
      ["claude-sonnet-5", { effort: "minimal" }, { type: "adaptive" }, "low", []],
      ["us.anthropic.claude-opus-4-8-v1:0", { effort: "low" }, { type: "adaptive" }, "low", []],
    ] as const)("is requested from %s by %j", (name, thinking, expected, effort, dropped) => {
      const asked = think(thinking, name);
      expect(asked.body.thinking).toEqual(expected);
      expect(asked.body.output_config).toEqual(effort === undefined ? undefined : { effort });
      expect(asked.dropped).toEqual(dropped);
    });

    it("is turned off where possible, and otherwise reported as still on", () => {
      for (const off of [{ effort: "none" }, { budgetTokens: 0 }] as const)
        expect(think(off)).toMatchObject({ body: { thinking: { type: "disabled" } }, dropped: [] });
      const always = think({ effort: "none" }, "claude-fable-5");
      expect(always.body).not.toHaveProperty("thinking");
      expect(always.dropped).toEqual(["thinking"]);
      const never = think({ effort: "none" }, "claude-3-5-haiku-20241022");
      expect(never.body).not.toHaveProperty("thinking");
      expect(never.dropped).toEqual([]);
    });

    it("is left out for a forced tool call, and for a model that does not support it", () => {
      for (const { body, dropped } of [
        think({ effort: "high" }, SONNET, 20_000, { tools: [LOOK], toolChoice: "required" }),
        think({ effort: "high" }, "claude-3-5-sonnet-20241022"),
      ]) {
        expect(body).not.toHaveProperty("thinking");
        expect(dropped).toEqual(["thinking"]);
      }
    });
  });

  describe("the answer's format", () => {
    const schema = {
      type: "object",
      description: "A place.",
      properties: {
        name: { type: "string", maxLength: 5 },
        minimum: { type: "integer", minimum: 1, maximum: 3, description: "How many." },
        list: { type: "array", minItems: 2, items: { type: "object", properties: {} } },
        either: { anyOf: [{ type: "null" }, { $ref: "#/$defs/inner" }] },
      },
      required: ["name"],
      $defs: { inner: { type: "object", additionalProperties: true } },
    };

    it("is a schema that the API accepts: closed objects, other limits in descriptions", () => {
      const { body, dropped } = withParameters({}, SONNET, {
        answerForm: { type: "schema", name: "place", schema },
      });
      expect(body.output_config).toEqual({
        format: {
          type: "json_schema",
          schema: {
            type: "object",
            description: "A place.",
            properties: {
              name: { type: "string", description: "(maxLength: 5)" },
              minimum: { type: "integer", description: "How many. (minimum: 1, maximum: 3)" },
              list: {
                type: "array",
                items: { type: "object", properties: {}, additionalProperties: false },
                description: "(minItems: 2)",
              },
              either: { anyOf: [{ type: "null" }, { $ref: "#/$defs/inner" }] },
            },
            required: ["name"],
            additionalProperties: false,
            $defs: { inner: { type: "object", additionalProperties: false } },
          },
        },
      });
      expect(dropped).toEqual([]);
    });

    it("is a tool that must be called where the model takes no schema for its answer", () => {
      const answerForm = { type: "schema", name: "place", schema, description: "A place." } as const;
      for (const name of ["kimi-k2", "claude-3-haiku-20240307"]) {
        const { body, dropped } = withParameters({}, name, { answerForm });
        expect(body.tools).toEqual([{ name: "answer", description: "A place.", input_schema: schema }]);
        expect(body.tool_choice).toEqual({ type: "tool", name: "answer" });
        expect(body).not.toHaveProperty("system");
        expect(dropped).toEqual([]);
      }
      for (const more of [
        { answerForm, tools: [LOOK] },
        { answerForm: { ...answerForm, schema: { type: "array", items: {} } } },
      ]) {
        const { body, dropped } = withParameters({}, "kimi-k2", more);
        expect([body.tool_choice, dropped]).toEqual([undefined, ["response_format"]]);
      }
      const thinking = withParameters({ thinking: { effort: "low" } }, "kimi-k2", { answerForm });
      expect(thinking.body).not.toHaveProperty("tools");
      expect(thinking.dropped).toContain("response_format");
    });

    it("is requested in the prompt where it can't be enforced, after the cacheable part", () => {
      const cached: Message = {
        role: "system",
        content: [{ type: "text", text: "So.", cache: { ttl: undefined } }],
      };
      const answerForm = { type: "schema", name: "place", schema, description: "a place" } as const;
      const messages = [cached, user("Where?")];
      const { body, dropped } = withParameters({}, "kimi-k2", { messages, answerForm, tools: [LOOK] });
      expect(body.system[1].text).toContain(JSON.stringify(schema));
      expect(body).not.toHaveProperty("output_config");
      expect(dropped).toEqual(["response_format"]);
      const json = withParameters({}, SONNET, { answerForm: { type: "json" } });
      expect(json.body.system).toMatchObject([{ text: expect.stringContaining("one JSON object") }]);
      expect(json.dropped).toEqual([]);
    });
  });
});
