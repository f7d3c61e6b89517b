// @ts-check
/** Takes what is sent by OTLP and throws it away, as a process of its own. */
import { createServer } from "node:http";

const server = createServer((request, response) => {
  request.resume();
  request.once("end", () => response.setHeader("content-type", "application/json").end("{}"));
});
server.listen(Number(process.argv[2]), "127.0.0.1");
