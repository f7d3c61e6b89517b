import type { Part } from "@trunkline/core/parts.ts";
import { describe, expect, it } from "vitest";
import { OutputItemWriter, type ResponseEvent } from "./stream.ts";

/** Writes parts, ends the open item, and returns all events. */
function write(...parts: readonly Part[]): { events: ResponseEvent[]; writer: OutputItemWriter } {
  const writer = new OutputItemWriter("r1");
  const responseEvents = parts.flatMap((part) => {
    if (part.type === "text") return [...writer.text(part)];
    if (part.type === "thinking") return [...writer.thinking(part)];
    if (part.type === "tool-call") return [...writer.call(part)];
    if (part.type === "logprobs") writer.logprobs(part);
    return [];
  });
  return { events: [...responseEvents, ...writer.close("completed")], writer };
}

const typesOf = (responseEvents: readonly ResponseEvent[]) =>
  responseEvents.map(({ type }) => type.replace("response.", ""));
const text = (words: string): Part => ({ type: "text", text: words });
const thought = (words: string, more = {}): Part => ({ type: "thinking", text: words, ...more });
const call = (id: string): Part => ({ type: "tool-call", id, name: "f", arguments: "{}" });

describe("the items of a response", () => {
  it("are added, filled and finished one after the other", () => {
    const { events: responseEvents, writer } = write(
      thought("Hm"),
      thought("."),
      text("Yes"),
      call("c1"),
      text("Done"),
    );
    expect(typesOf(responseEvents)).toEqual([
      "output_item.added",
      "reasoning_summary_part.added",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.done",
      "reasoning_summary_part.done",
      "output_item.done",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "output_item.added",
      "function_call_arguments.delta",
      "function_call_arguments.done",
      "output_item.done",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
    ]);
    expect(writer.output.map(({ type, id, status }) => [type, id, status])).toEqual([
      ["reasoning", "rs-r1-0", "completed"],
      ["message", "msg-r1-1", "completed"],
      ["function_call", "fc-r1-2", "completed"],
      ["message", "msg-r1-3", "completed"],
    ]);
  });

  it("are named in events by their own index and id", () => {
    const { events: responseEvents } = write(text("Yes"), call("c1"), call("c2"));
    for (const { item_id: id, output_index: index } of responseEvents) {
      if (typeof id === "string" && typeof index === "number") expect(id).toMatch(new RegExp(`-${index}$`));
    }
  });

  it("are split after a signed thought, and a sealed thought is an item of its own", () => {
    const { writer } = write(
      thought("First"),
      thought("", { signature: "s1" }),
      thought("Second", { signature: "s2" }),
      thought("", { sealed: "closed" }),
      text("Yes"),
    );
    expect(
      writer.output.map((item) => (item.type === "reasoning" ? item.summary.map((part) => part.text) : item.type)),
    ).toEqual([["First"], ["Second"], [], "message"]);
  });

  it("leave out empty thoughts", () => {
    expect(write(thought("")).events).toEqual([]);
  });

  it("hold the log probabilities with their text", () => {
    const { events: responseEvents, writer } = write(text("Yes"), {
      type: "logprobs",
      content: [{ token: "Yes" }],
    });
    expect(writer.output).toMatchObject([{ content: [{ text: "Yes", logprobs: [{ token: "Yes" }] }] }]);
    expect(responseEvents.find(({ type }) => type === "response.output_text.done")).toMatchObject({
      logprobs: [{ token: "Yes" }],
    });
  });
});
