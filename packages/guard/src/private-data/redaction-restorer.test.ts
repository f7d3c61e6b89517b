import type { Part } from "@trunkline/core/parts.ts";
import { expect, it } from "vitest";
import { RedactionRestorer } from "./redaction-restorer.ts";
import { Redactions } from "./redactions.ts";

it("restores a value whose placeholder is split by a usage part", () => {
  const redactions = new Redactions();
  const placeholder = redactions.assignPlaceholder("email", "jane@example.com");
  const usage: Part = { type: "usage", inputTokens: 1, outputTokens: 2 };
  const parts = new RedactionRestorer(redactions.byPlaceholder, false).restoreAll([
    { type: "text", text: `Write to ${placeholder.slice(0, 4)}` },
    usage,
    { type: "text", text: placeholder.slice(4) },
    { type: "finish", reason: "stop" },
  ]);
  expect(parts).toEqual([
    { type: "text", text: "Write to " },
    usage,
    { type: "text", text: "jane@example.com" },
    { type: "finish", reason: "stop" },
  ]);
});
