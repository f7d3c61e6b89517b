import { openForTest, orderTo } from "@trunkline/testing/throwaway-dialer.ts";
import { serveHttp } from "@trunkline/testing/throwaway-server.ts";
import { heldBytesEach, leastBytes } from "@trunkline/testing/used-heap.ts";
import { expect, it } from "vitest";
import type { DialResponse } from "./dial-request.ts";

const BODY_BYTES = 40_000;

it("keeps nothing of its request once the answer has begun, however long it goes on", async () => {
  const server = await serveHttp((request, response) => {
    request.resume().on("end", () => response.write("begun"));
  });
  const dialer = openForTest();
  const signal = new AbortController().signal;
  const hold = async (bodyBytes: number) => {
    const { bytes, held } = await heldBytesEach(100, async (index) => {
      const body = Buffer.from(`${index} ${"x".repeat(bodyBytes)}`).toString();
      const response = await dialer.post(orderTo(server.url, {}, { body }), signal);
      const pieces = response.body[Symbol.asyncIterator]();
      expect(String((await pieces.next()).value)).toBe("begun");
      return response;
    });
    for (const response of held as DialResponse[]) response.cancel();
    return bytes;
  };
  const bound = BODY_BYTES / 2;
  const kept = await leastBytes(bound, async () => -(await hold(1)) + (await hold(BODY_BYTES)));
  expect(kept).toBeLessThan(bound);
});
