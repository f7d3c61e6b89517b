import { type Conversation, newId } from "./conversation.ts";
import { withoutFiles } from "./history.ts";
import { mediaKindOf } from "./media-kind.ts";
import { readConversation } from "./read-conversation.ts";

/** Longer links are cut off by programs that people send them with. */
const LONGEST_LINK = 8_000;
/** What a link may become: a small text can unfold to a huge one. */
const LONGEST_CONTENT = 1_000_000;
const NAME = "chat=";

/** The part of a link after the # that holds a conversation; undefined where it would be too long. */
export async function encodeShare(conversation: Conversation): Promise<string | undefined> {
  const { settings, turns } = withoutFiles(conversation);
  const packed = await pack(JSON.stringify({ settings, turns }));
  const text = NAME + toBase64Url(packed);
  return text.length > LONGEST_LINK ? undefined : text;
}

/** The conversation in the part of an address after the #; undefined where there is none that can be read. */
export async function decodeShare(fragment: string): Promise<Conversation | undefined> {
  const text = fragment.replace(/^#/, "");
  if (!text.startsWith(NAME) || text.length > LONGEST_LINK) return undefined;
  try {
    const shared = readConversation(JSON.parse(await unpack(fromBase64Url(text.slice(NAME.length)))));
    return shared === undefined ? undefined : { ...withoutAddresses(shared), id: newId(), at: Date.now() };
  } catch {
    // Cut off on its way, or never one of ours.
    return undefined;
  }
}

/** Without media from elsewhere: it would tell its server who opened the link. */
function withoutAddresses(shared: Conversation): Conversation {
  return {
    ...shared,
    turns: shared.turns.map((turn) => ({
      ...turn,
      replies: Object.fromEntries(
        Object.entries(turn.replies).map(([column, replies]) => [
          column,
          replies.map(({ mediaUrl, ...reply }) =>
            mediaUrl === undefined || mediaKindOf(mediaUrl) === undefined ? reply : { ...reply, mediaUrl },
          ),
        ]),
      ),
    })),
  };
}

export function isShare(fragment: string): boolean {
  return fragment.startsWith(`#${NAME}`);
}

async function pack(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > LONGEST_CONTENT) {
      await reader.cancel();
      throw new Error("The link holds too much.");
    }
  }
}

function toBase64Url(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}
