import { createSocket } from "node:dgram";
import { describe, expect, it, onTestFinished } from "vitest";
import { lookUpTxtRecords } from "./txt-records.ts";

/** A DNS server that answers every question with one TXT record, or with none. */
async function startDns(pieces: readonly string[] | undefined): Promise<string> {
  const socket = createSocket("udp4");
  socket.on("message", (question, { port, address }) => {
    const answer = pieces === undefined ? Buffer.alloc(0) : recordOf(pieces);
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(pieces === undefined ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(pieces === undefined ? 0 : 1, 6);
    head.fill(0, 8, 12);
    const end = question.indexOf(0, 12) + 5;
    socket.send(Buffer.concat([head, question.subarray(12, end), answer]), port, address);
  });
  onTestFinished(() => void socket.close());
  return new Promise((resolve) => {
    socket.bind(0, "127.0.0.1", () => resolve(`127.0.0.1:${socket.address().port}`));
  });
}

function recordOf(pieces: readonly string[]): Buffer {
  const data = Buffer.concat(pieces.map((piece) => Buffer.from([piece.length, ...Buffer.from(piece)])));
  const head = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, data.length]);
  return Buffer.concat([head, data]);
}

describe("lookUpTxtRecords", () => {
  it("joins the pieces of a record", async () => {
    const server = await startDns(["trunkline-verification=", "abc"]);
    expect(await lookUpTxtRecords("_trunkline.example.com", [server])).toEqual(["trunkline-verification=abc"]);
  });

  it("finds nothing where there is nothing", async () => {
    expect(await lookUpTxtRecords("_trunkline.example.com", [await startDns(undefined)])).toEqual([]);
  });
});
