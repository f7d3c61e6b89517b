// @ts-check
/** A provider that takes its time and then answers whole, as most models do: after 100 ms on average. */
import { createServer } from "node:http";
import { WHOLE_ANSWER } from "./traffic.mjs";

/** Evenly spread: were all equally slow, requests that once met in a batch would stay together for ever. */
const SHORTEST_MS = 80;
const LONGEST_MS = 120;
/** Steps of the golden ratio visit the whole range evenly, and every run alike. */
const STEP = (Math.sqrt(5) - 1) / 2;

let position = 0;
const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    position = (position + STEP) % 1;
    setTimeout(answer, SHORTEST_MS + (LONGEST_MS - SHORTEST_MS) * position, response);
  });
});

/** @param {import("node:http").ServerResponse} response */
function answer(response) {
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(WHOLE_ANSWER),
  });
  response.end(WHOLE_ANSWER);
}

server.keepAliveTimeout = 120_000;
server.listen(Number(process.argv[2]), "127.0.0.1");
// The process that started this one is gone.
process.on("disconnect", () => process.exit());
