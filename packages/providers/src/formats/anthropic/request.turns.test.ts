import {
  askMessages,
  assistant,
  block,
  OPUS,
  system,
  user,
  withMessages,
} from "@trunkline/testing/ask-messages.ts";
import { describe, expect, it } from "vitest";

describe("the turns of a conversation", () => {
  it("begin with the user's and alternate, and leading instructions stand before them", () => {
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

  it("keep instructions of the middle where they are, marked as what they are", () => {
    const body = withMessages(user("One"), assistant("Two"), system("Now in French."), user("Three"));
    expect(body.system).toBeUndefined();
    expect(body.messages).toEqual([
      { role: "user", content: [block("One")] },
      { role: "assistant", content: [block("Two")] },
      { role: "user", content: [block("<system>\nNow in French.\n</system>"), block("Three")] },
    ]);
  });

  it("have instructions as a turn of their own where the model takes it and the place allows it", () => {
    const messages = [
      user("One"),
      system("In French."),
      system("Briefly."),
      assistant("Deux"),
      user("Three"),
    ];
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
  ])("that begin %s get a beginning", (_what, messages) => {
    const [first, ...rest] = withMessages(...messages).messages;
    expect(first).toEqual({ role: "user", content: [block("(The conversation starts here.)")] });
    expect(rest).toHaveLength(messages[0]?.role === "assistant" ? 1 : 0);
  });

  it("leave out empty texts, which the API refuses", () => {
    expect(withMessages(user(""), user("One"), assistant("")).messages).toEqual([
      { role: "user", content: [block("One")] },
    ]);
  });

  it("show by the user what is attached to an instruction", () => {
    const attachment = { type: "attachment", kind: "image", url: "https://example.test/a.png" } as const;
    const body = withMessages({ role: "system", content: [{ type: "text", text: "So." }, attachment] });
    expect(body.system).toEqual([block("So.")]);
    expect(body.messages).toMatchObject([{ role: "user", content: [{ type: "image" }] }]);
  });
});

describe("calls of tools and their results", () => {
  it("are blocks, the results before anything else of their turn", () => {
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

  it("have ids that the API takes, the same for a call and its result", () => {
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

  it("may show pictures", () => {
    const picture = { type: "attachment", kind: "image", url: "data:image/png;base64,AAAA" } as const;
    const result = { type: "tool-result", id: "t1", text: "See:", attachments: [picture] } as const;
    expect(withMessages(user("Draw."), { role: "tool", content: [result] }).messages[0].content[0]).toEqual({
      type: "tool_result",
      tool_use_id: "t1",
      content: [
        block("See:"),
        { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      ],
    });
  });
});

describe("thoughts of earlier turns", () => {
  it("go back unchanged where they are the provider's own, and are left out and named where not", () => {
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

describe("what is attached", () => {
  const shown = (kind: "image" | "file" | "audio", url: string, name?: string) =>
    withMessages({ role: "user", content: [{ type: "attachment", kind, url, name }] }).messages[0].content[0];

  it.each([
    ["image", "data:image/jpeg;base64,/9j/", { type: "base64", media_type: "image/jpeg", data: "/9j/" }],
    ["image", "https://example.test/a.png", { type: "url", url: "https://example.test/a.png" }],
    ["file", "data:image/png;base64,AAAA", { type: "base64", media_type: "image/png", data: "AAAA" }],
  ] as const)("as %s %s is an image", (kind, url, source) => {
    expect(shown(kind, url)).toEqual({ type: "image", source });
  });

  it.each([
    [
      "data:application/pdf;base64,JVBERi0=",
      { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
    ],
    ["https://example.test/a.pdf", { type: "url", url: "https://example.test/a.pdf" }],
    [
      "data:text/plain;charset=utf-8;base64,Z3LDvG4=",
      { type: "text", media_type: "text/plain", data: "grün" },
    ],
    ["data:text/csv,a%2Cb%0Agr%C3%BCn", { type: "text", media_type: "text/plain", data: "a,b\ngrün" }],
    ["data:application/json,{}", { type: "text", media_type: "text/plain", data: "{}" }],
  ])("as a file %s is a document", (url, source) => {
    expect(shown("file", url, "paper")).toEqual({ type: "document", source, title: "paper" });
  });

  it.each([
    ["audio", "data:audio/wav;base64,AAAA"],
    ["file", "data:application/zip;base64,AAAA"],
  ] as const)("as %s %s is for another model", (kind, url) => {
    expect(() => shown(kind, url)).toThrow(
      expect.objectContaining({ name: "ProviderFailure", kind: "rejected", blamesEndpoint: false }),
    );
  });

  it("can't be looked at more or less closely", () => {
    const content = [
      { type: "attachment", kind: "image", url: "https://example.test/a.png", detail: "high" },
    ] as const;
    expect(
      askMessages({ conversation: { messages: [{ role: "user", content }], tools: [] } }).dropped,
    ).toEqual(["image_detail"]);
  });
});
