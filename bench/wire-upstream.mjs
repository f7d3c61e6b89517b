// @ts-check
/** Providers of several wire formats in one: they answer whole, or in twenty pieces about a millisecond apart. One pauses. */
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { HELD_MODEL } from "./traffic.mjs";
import { ANSWERS } from "./wire-traffic.mjs";

const GAP_MS = 1;
/** How long a stream of the held model pauses: long enough that a thousand of them are open at once. */
const HOLD_MS = 6_000;

/** @param {string} path */
function answersAt(path) {
  if (path.endsWith("/chat/completions")) return ANSWERS.openai;
  return path.endsWith("/messages") ? ANSWERS.anthropic : ANSWERS.trunkline;
}

const server = createServer((request, response) => {
  const answers = answersAt(request.url ?? "");
  let body = "";
  request.setEncoding("latin1");
  request.on("data", (piece) => {
    body += piece;
  });
  request.on("end", async () => {
    if (!body.includes('"stream":true')) {
      response.writeHead(200, { "content-type": "application/json" }).end(answers.whole);
      return;
    }
    response.writeHead(200, {
      "content-type": answers === ANSWERS.trunkline ? "application/x-ndjson" : "text/event-stream",
    });
    const pausesAfter = body.includes(HELD_MODEL) ? 4 : -1;
    for (const [index, piece] of answers.stream.entries()) {
      response.write(piece);
      await wait(index === pausesAfter ? HOLD_MS : GAP_MS);
    }
    response.end();
  });
});
server.keepAliveTimeout = 120_000;
server.listen(Number(process.argv[2]), "127.0.0.1");
// The process that started this one is gone.
process.on("disconnect", () => process.exit());
