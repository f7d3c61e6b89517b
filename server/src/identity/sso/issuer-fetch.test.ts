import { openForTest } from "@trunkline/testing/throwaway-dialer.ts";
import { serveHttp } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it } from "vitest";
import { describeIssuerFailure, IssuerClient } from "./issuer-fetch.ts";

const GET = { method: "GET", headers: {} };

describe("IssuerClient", () => {
  it("reaches private addresses for the issuers that the operator has named, and for no others", async () => {
    const { port } = await serveHttp((_request, response) => response.end("{}"));
    const url = `http://127.0.0.1:${port}/jwks`;
    const issuers = new IssuerClient(openForTest(), ["http://login.internal/"]);
    expect(await (await issuers.fetchFor("http://login.internal")(url, GET)).json()).toEqual({});
    // The metadata of a public issuer could name an address inside.
    const refused = issuers.fetchFor("https://login.example.com")(url, GET);
    await expect(refused).rejects.toMatchObject({ kind: "forbidden-address" });
    const failure = await refused.catch((error: unknown) => error);
    expect(describeIssuerFailure(new Error("wrapped", { cause: failure }))).not.toContain("127.0.0.1");
  });

  it("follows no redirect", async () => {
    const { port } = await serveHttp((_request, response) =>
      response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    );
    const issuer = `http://127.0.0.1:${port}`;
    const response = await new IssuerClient(openForTest(), [issuer]).fetchFor(issuer)(issuer, GET);
    expect(response.status).toBe(302);
  });
});
