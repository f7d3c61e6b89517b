import type { Random } from "@trunkline/core/random.ts";
import type { ReceivedCall, Script } from "./scripted-provider.ts";

/** No sentence occurs twice, so that a repetition can be bytes apart from a continuation. */
export const STORY = [
  "The keeper of the old lighthouse climbed up every evening at six, lit the lamp and wiped the glass.",
  "Then he wrote into his book which ships had passed, how high the sea stood, and what the gulls quarrelled about.",
  "Nobody ever asked for that book. Still he was careful with his letters, since a reader might come one day.",
  "When the harbour was closed, fewer sails went by, and so he began to note clouds: anvils, feathers, grey wool.",
  "A girl from the village brought him bread on Sundays. She was the first who opened the book and laughed aloud.",
  "“You have spelled cormorant in nine ways,” she said, and from then on she came with a dictionary under her arm.",
  "In the end the two of them made an atlas of all weathers that were ever seen from one small rock.",
].join(" ");

const chunk = (value: unknown) => `${JSON.stringify(value)}\n`;

/** The part of the story that the request already contains, as a provider of our own format reads it. */
export function storySoFar({ body }: Pick<ReceivedCall, "body">): string {
  const input: string = body.input;
  const heading = "=== assistant ===\n";
  const from = input.indexOf(heading);
  if (from === -1) return "";
  return input.slice(from + heading.length, input.lastIndexOf("\n\n=== user ==="));
}

/**
 * Streams the story from where it was cut, in small pieces, and sometimes repeats the last words. The first calls of
 * each request are cut off at a random byte before the story's end; later calls stream it to the end.
 */
export function streamsStory(random: Random, cuts: number): Script {
  const calls = new Map<string, number>();
  return async (response, call) => {
    const soFar = storySoFar(call);
    if (!STORY.startsWith(soFar)) return void response.writeHead(400).end("{}");
    const id = String(call.headers["x-request-id"]);
    const before = calls.get(id) ?? 0;
    calls.set(id, before + 1);
    const repeats = soFar !== "" && random() < 0.4 ? 12 + Math.floor(random() * 80) : 0;
    const lines: Buffer[] = [];
    for (let at = Math.max(0, soFar.length - repeats); at < STORY.length; ) {
      const length = 1 + Math.floor(random() * 24);
      lines.push(Buffer.from(chunk({ delta: STORY.slice(at, at + length) })));
      at += length;
    }
    const bytes = Buffer.concat(lines);
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    if (before >= cuts) return void response.end(Buffer.concat([bytes, Buffer.from(chunk({ done: true }))]));
    const end = Math.floor(random() * (bytes.length - 2));
    await new Promise((resolve) => response.write(bytes.subarray(0, end + 1), resolve));
    response.socket?.destroy();
  };
}
