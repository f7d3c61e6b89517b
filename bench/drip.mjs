// @ts-check
/** A provider that streams a fixed answer, a delta about every millisecond: each arrives by itself, as a model's do. */
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { STREAM_LINES } from "./traffic.mjs";

const GAP_MS = 1;

const server = createServer((request, response) => {
  request.resume();
  request.on("end", async () => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    for (const line of STREAM_LINES) {
      response.write(line);
      await wait(GAP_MS);
    }
    response.end();
  });
});
server.keepAliveTimeout = 120_000;
server.listen(Number(process.argv[2]), "127.0.0.1");
// The process that started this one is gone.
process.on("disconnect", () => process.exit());
