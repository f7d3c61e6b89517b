import { describe, expect, it } from "vitest";
import { Chat } from "./chat.ts";
import type { SentRequest } from "./chat-request.ts";
import { newConversation, type Reply } from "./conversation.ts";
import { AUTO } from "./settings.ts";

interface Sent {
  readonly request: SentRequest;
  readonly signal: AbortSignal;
  readonly reply: (text: string, more?: Partial<Reply>) => Promise<void>;
}

/** A chat whose replies the test gives. */
function openChat() {
  const sent: Sent[] = [];
  const chat = new Chat(newConversation(), (request, signal, live) => {
    let resolve: (reply: Reply) => void = () => undefined;
    const promise = new Promise<Reply>((done) => {
      resolve = done;
    });
    signal.addEventListener("abort", () => resolve({ status: "stopped", text: live.feed.whole(), calls: [] }));
    const reply = async (text: string, more: Partial<Reply> = {}) => {
      resolve({ status: "done", text, calls: [], ...more });
      await new Promise(setImmediate);
    };
    sent.push({ request, signal, reply });
    live.feed.push("Half");
    return promise;
  });
  const messages = (place: number) => {
    const request = sent[place]?.request;
    return request?.path === "/v1/chat/completions" ? request.body.messages : [];
  };
  return { chat, sent, messages, turns: () => chat.conversation().turns };
}

describe("a chat", () => {
  it("tells the model all that was said before", async () => {
    const { chat, sent, messages, turns } = openChat();
    chat.change({ system: "Be brief." });
    chat.send("Hello", []);
    await sent[0]?.reply("Hi.");
    chat.send("And now?", []);
    expect(messages(1)).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hi." },
      { role: "user", content: "And now?" },
    ]);
    await sent[1]?.reply("Now this.");
    expect(turns().map(({ replies }) => replies[AUTO.id]?.[0]?.text)).toEqual(["Hi.", "Now this."]);
  });

  it("goes on after a tool call with its result", async () => {
    const { chat, sent, messages, turns } = openChat();
    chat.send("Weather?", []);
    await sent[0]?.reply("", { calls: [{ id: "c1", name: "weather", arguments: '{"city":"Bern"}' }] });
    chat.answerCalls(turns()[0]?.id ?? "", AUTO.id, { c1: "sunny" });
    expect(messages(1)).toEqual([
      { role: "user", content: "Weather?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Bern"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "sunny" },
    ]);
  });

  it("asks every model, each with what it said itself; a new one goes on from the first", async () => {
    const { chat, sent, messages } = openChat();
    chat.send("One", []);
    await sent[0]?.reply("From the first.");
    chat.change({ columns: [AUTO, { ...AUTO, id: "second", model: "acme/small" }] });
    chat.send("Two", []);
    expect(sent).toHaveLength(3);
    expect(messages(2)).toContainEqual({ role: "assistant", content: "From the first." });
    await sent[1]?.reply("First again.");
    await sent[2]?.reply("Second.");
    chat.send("Three", []);
    expect(messages(4)).toContainEqual({ role: "assistant", content: "Second." });
    expect(messages(4)).not.toContainEqual({ role: "assistant", content: "First again." });
  });

  it("keeps what had come when it is stopped", async () => {
    const { chat, turns } = openChat();
    chat.send("Hello", []);
    expect(chat.settled().turns[0]?.replies[AUTO.id]?.[0]).toMatchObject({ status: "stopped", text: "Half" });
    chat.stop();
    await new Promise(setImmediate);
    expect(turns()[0]?.replies[AUTO.id]?.[0]).toMatchObject({ status: "stopped", text: "Half" });
  });

  it("ends what an edit, a new try or a deletion makes pointless, and takes nothing from it", async () => {
    const { chat, sent, turns } = openChat();
    chat.send("Hello", []);
    const id = turns()[0]?.id ?? "";
    chat.resend(id, "Other words");
    expect(sent[0]?.signal.aborted).toBe(true);
    chat.regenerate(id, AUTO.id);
    expect(sent[1]?.signal.aborted).toBe(true);
    await sent[2]?.reply("The last.");
    expect(turns()[0]).toMatchObject({ text: "Other words", replies: { [AUTO.id]: [{ text: "The last." }] } });
    chat.regenerate(id, AUTO.id);
    chat.delete(id);
    expect(sent[3]?.signal.aborted).toBe(true);
    await new Promise(setImmediate);
    expect(turns()).toEqual([]);
  });
});
