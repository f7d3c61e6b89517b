import { expect, it } from "vitest";
import { estimateAttachmentTokens } from "./attached-tokens.ts";
import { conversationOf } from "./conversation.ts";

const attach = (kind: "image" | "audio" | "file", url: string) =>
  ({ type: "attachment", kind, url }) as const;

it("sets aside tokens for images and files, and none for audio, which is paid by the second", () => {
  const page = `data:application/pdf;base64,${"A".repeat(4_000)}`;
  const book = `data:application/pdf;base64,${"A".repeat(400_000)}`;
  const of = (...attachments: ReturnType<typeof attach>[]) =>
    estimateAttachmentTokens(conversationOf("?", attachments));
  expect(of()).toBe(0);
  expect(of(attach("image", "https://example.test/a.png"), attach("image", "data:image/png;base64,AA"))).toBe(
    4_000,
  );
  expect(of(attach("audio", "https://example.test/a.wav"))).toBe(0);
  expect(of(attach("file", page))).toBe(3_000);
  expect(of(attach("file", book))).toBe(37_500);
  expect(of(attach("file", "https://example.test/a.pdf"))).toBe(20_000);
});
