import { describe, expect, it } from "vitest";
import { newConversation, type Turn } from "./conversation.ts";
import { FIRST_SETTINGS } from "./settings.ts";
import { decodeShare, encodeShare, isShare } from "./share.ts";

const TURN: Turn = {
  id: "1",
  text: "Grüße 🙂",
  files: [{ id: "f", type: "image", name: "cat.png", bytes: 3, url: "data:image/png;base64,AAAA" }],
  replies: { first: [{ status: "done", text: "Hallo", calls: [], cost: 0.00001 }] },
};
const conversation = {
  ...newConversation({ ...FIRST_SETTINGS, system: "Be brief.", temperature: 0, tools: ['{"name":"a"}'] }),
  turns: [TURN],
};

describe("a link to a conversation", () => {
  it("has the settings and the turns, without the content of files", async () => {
    const fragment = `#${await encodeShare(conversation)}`;
    expect(fragment).toMatch(/^#chat=[\w-]+$/);
    expect(isShare(fragment)).toBe(true);
    const shared = await decodeShare(fragment);
    expect(shared?.settings).toEqual(conversation.settings);
    expect(shared?.turns[0]).toMatchObject({ text: "Grüße 🙂", replies: TURN.replies, files: [{ name: "cat.png" }] });
    expect(JSON.stringify(shared)).not.toContain("AAAA");
    expect(shared?.id).not.toBe(conversation.id);
  });

  it("loads nothing from elsewhere when it is opened", async () => {
    const media = (mediaUrl: string) => ({
      ...TURN,
      replies: { first: [{ status: "done" as const, text: "", calls: [], mediaUrl }] },
    });
    const turns = [media("https://evil.example/pixel.png"), media("data:image/gif;base64,AAAA")];
    const shared = await decodeShare(`#${await encodeShare({ ...conversation, turns })}`);
    expect(shared?.turns.map(({ replies }) => replies.first?.[0]?.mediaUrl)).toEqual([
      undefined,
      "data:image/gif;base64,AAAA",
    ]);
  });

  it("is none where it would be too long", async () => {
    const long = Array.from({ length: 2_000 }, (_, place) => Math.sin(place).toString(36)).join(" ");
    expect(await encodeShare({ ...conversation, turns: [{ ...TURN, text: long }] })).toBeUndefined();
  });

  it("is nothing where it was cut, made up, or unfolds to far too much", async () => {
    const whole = (await encodeShare(conversation)) ?? "";
    expect(await decodeShare(whole.slice(0, -12))).toBeUndefined();
    expect(await decodeShare("#chat=%%%")).toBeUndefined();
    expect(await decodeShare("#other")).toBeUndefined();
    const bomb = await encodeShare({ ...conversation, turns: [{ ...TURN, text: "a".repeat(3_000_000) }] });
    expect(bomb?.length).toBeLessThan(8_000);
    expect(await decodeShare(bomb ?? "")).toBeUndefined();
  });
});
