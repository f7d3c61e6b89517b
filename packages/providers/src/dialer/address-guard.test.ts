import { describe, expect, it } from "vitest";
import { checkEndpoint, parseEndpointUrl } from "./address-guard.ts";
import type { Lookup } from "./guarded-lookup.ts";

const neverAsked: Lookup = () => Promise.reject(new Error("nobody should have asked"));
const resolvesTo =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses;

describe("readEndpoint", () => {
  it.each([
    "https://127.0.0.1/",
    "https://127.1/",
    "https://0x7f.1/",
    "https://0x7f000001/",
    "https://2130706433/",
    "https://017700000001/",
    "https://0177.0.0.1/",
    "https://127.0.0.1./",
    "https://127.0.0.1:8443/v1/generate",
    "https://0/",
    "https://169.254.169.254/latest/meta-data",
    "https://①②⑦.0.0.1/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[64:ff9b::10.0.0.1]/",
    "https://[2002:7f00:1::]/",
    "https://[fd00::1]/",
    "https:127.0.0.1",
    "https:\\\\127.0.0.1\\",
  ])("refuses the private address in %s", (text) => {
    expect(parseEndpointUrl(text, false)).toBe("The endpoint must be at a public address.");
  });

  it.each([
    "http://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:,x",
    "ws://example.com/",
  ])("takes nothing but https from everybody: %s", (text) => {
    expect(parseEndpointUrl(text, false)).toBe("The endpoint must be an https URL.");
  });

  it.each(["ftp://127.0.0.1/", "file:///etc/passwd", "unix:/var/run/docker.sock", "gopher://127.0.0.1/"])(
    "takes nothing but http and https from an operator: %s",
    (text) => {
      expect(parseEndpointUrl(text, true)).toBe("The endpoint must be an http or https URL.");
    },
  );

  it.each([true, false])(
    "refuses user names, passwords and fragments (may dial private: %s)",
    (mayDialPrivate) => {
      expect(parseEndpointUrl("https://me:secret@example.com/", mayDialPrivate)).toContain(
        "user name or password",
      );
      // Said of webhooks too, which have no credential.
      expect(parseEndpointUrl("https://me@example.com/", mayDialPrivate)).not.toContain("credential");
      expect(parseEndpointUrl("https://me@example.com/", mayDialPrivate)).toContain("user name or password");
      expect(parseEndpointUrl("https://example.com/#part", mayDialPrivate)).toContain("fragment");
      expect(parseEndpointUrl("https://example.com/#", mayDialPrivate)).toContain("fragment");
    },
  );

  it.each([
    "",
    "example.com",
    "https://",
    "https://exa mple.com/",
    "https://exam\nple.com/",
    " https://example.com/",
    "https://[::1",
    `https://example.com/${"a".repeat(3_000)}`,
  ])("refuses what is no URL: %j", (text) => {
    expect(parseEndpointUrl(text, false)).toContain("must be a URL");
  });

  it("passes public https, and anything at home for an operator", () => {
    expect(parseEndpointUrl("https://api.example.com:8443/v1/generate?x=1", false)).toBeInstanceOf(URL);
    expect(parseEndpointUrl("https://1.1.1.1/", false)).toBeInstanceOf(URL);
    expect(parseEndpointUrl("https://[2606:4700:4700::1111]/", false)).toBeInstanceOf(URL);
    expect(parseEndpointUrl("http://127.0.0.1:11434/v1/generate", true)).toBeInstanceOf(URL);
    expect(parseEndpointUrl("http://[::1]:8000/", true)).toBeInstanceOf(URL);
    expect(parseEndpointUrl("http://ollama/", true)).toBeInstanceOf(URL);
  });
});

describe("checkEndpoint", () => {
  it("has nothing against a name whose addresses are all public", async () => {
    expect(
      await checkEndpoint("https://api.example.com/", false, resolvesTo("1.1.1.1", "2606:4700::1")),
    ).toBeUndefined();
  });

  it("says what is wrong with the text before anybody is asked for the name", async () => {
    expect(await checkEndpoint("http://api.example.com/", false, neverAsked)).toBe(
      "The endpoint must be an https URL.",
    );
    expect(await checkEndpoint("https://1.1.1.1/", false, neverAsked)).toBeUndefined();
  });

  it.each([[["127.0.0.1"]], [["1.1.1.1", "10.0.0.1"]], [["2606:4700::1", "::1"]], [["1.1.1.1", "nonsense"]]])(
    "refuses a name with any address that is not public: %j",
    async (addresses) => {
      expect(await checkEndpoint("https://api.example.com/", false, resolvesTo(...addresses))).toContain(
        "public address",
      );
    },
  );

  it("says when a name can't be resolved", async () => {
    expect(await checkEndpoint("https://nowhere.example/", false, neverAsked)).toContain(
      "could not be resolved",
    );
    expect(await checkEndpoint("https://empty.example/", false, resolvesTo())).toContain(
      "could not be resolved",
    );
  });

  it("lets an operator register any name, also one that does not resolve yet", async () => {
    expect(await checkEndpoint("http://ollama.lan/", true, neverAsked)).toBeUndefined();
  });

  it("asks the operating system where no other lookup is given", async () => {
    expect(await checkEndpoint("https://localhost/", false)).toContain("public address");
  });
});
