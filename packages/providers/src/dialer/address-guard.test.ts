import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkEndpoint,
  coalesceLookups,
  guardedLookup,
  isPublicAddress,
  type Lookup,
  parseEndpointUrl,
} from "./address-guard.ts";

describe("endpoint URLs", () => {
  const neverAsked: Lookup = () => Promise.reject(new Error("unexpected lookup"));
  const resolvesTo =
    (...addresses: string[]): Lookup =>
    async () =>
      addresses;

  describe("parseEndpointUrl", () => {
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
    ])("accepts nothing but https from accounts: %s", (text) => {
      expect(parseEndpointUrl(text, false)).toBe("The endpoint must be an https URL.");
    });

    it.each(["ftp://127.0.0.1/", "file:///etc/passwd", "unix:/var/run/docker.sock", "gopher://127.0.0.1/"])(
      "accepts only http and https from an operator: %s",
      (text) => {
        expect(parseEndpointUrl(text, true)).toBe("The endpoint must be an http or https URL.");
      },
    );

    it.each([true, false])("refuses user names, passwords and fragments (may dial private: %s)", (mayDialPrivate) => {
      expect(parseEndpointUrl("https://me:secret@example.com/", mayDialPrivate)).toContain("user name or password");
      // Also used for webhooks, which have no credential.
      expect(parseEndpointUrl("https://me@example.com/", mayDialPrivate)).not.toContain("credential");
      expect(parseEndpointUrl("https://me@example.com/", mayDialPrivate)).toContain("user name or password");
      expect(parseEndpointUrl("https://example.com/#part", mayDialPrivate)).toContain("fragment");
      expect(parseEndpointUrl("https://example.com/#", mayDialPrivate)).toContain("fragment");
    });

    it.each([
      "",
      "example.com",
      "https://",
      "https://exa mple.com/",
      "https://exam\nple.com/",
      " https://example.com/",
      "https://[::1",
      `https://example.com/${"a".repeat(3_000)}`,
    ])("refuses text that is no URL: %j", (text) => {
      expect(parseEndpointUrl(text, false)).toContain("must be a URL");
    });

    it("accepts public https, and private addresses for an operator", () => {
      expect(parseEndpointUrl("https://api.example.com:8443/v1/generate?x=1", false)).toBeInstanceOf(URL);
      expect(parseEndpointUrl("https://1.1.1.1/", false)).toBeInstanceOf(URL);
      expect(parseEndpointUrl("https://[2606:4700:4700::1111]/", false)).toBeInstanceOf(URL);
      expect(parseEndpointUrl("http://127.0.0.1:11434/v1/generate", true)).toBeInstanceOf(URL);
      expect(parseEndpointUrl("http://[::1]:8000/", true)).toBeInstanceOf(URL);
      expect(parseEndpointUrl("http://ollama/", true)).toBeInstanceOf(URL);
    });
  });

  describe("a cloud's metadata service", () => {
    it.each([
      "http://169.254.169.254/latest/meta-data",
      "http://0xa9fea9fe/",
      "http://169.254.170.2/v2/credentials",
      "http://100.100.100.200/",
      "http://168.63.129.16/",
      "http://192.0.0.192/",
      "http://[fd00:ec2::254]/",
      "http://[fd20:ce::254]/",
      "http://[::ffff:169.254.169.254]/",
      "http://[64:ff9b::169.254.169.254]/",
      "http://[2002:a9fe:a9fe::]/",
      "http://metadata.google.internal/",
      "http://METADATA.google.internal./",
    ])("is no endpoint for anyone: %s", (text) => {
      expect(parseEndpointUrl(text, true)).toContain("metadata");
      expect(typeof parseEndpointUrl(text, false)).toBe("string");
    });

    it("is not dialled by a name that leads to it", async () => {
      const lookup = guardedLookup(true, resolvesTo("10.0.0.1", "169.254.169.254"));
      const failed = new Promise((resolve) => lookup("home.example", { all: true }, resolve));
      expect(await failed).toMatchObject({ kind: "forbidden-address" });
    });
  });

  describe("checkEndpoint", () => {
    it("accepts a name whose addresses are all public", async () => {
      expect(
        await checkEndpoint("https://api.example.com/", false, resolvesTo("1.1.1.1", "2606:4700::1")),
      ).toBeUndefined();
    });

    it("reports problems in the text before it resolves the name", async () => {
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

    it("reports a name that can't be resolved", async () => {
      const unknown = await checkEndpoint("https://nowhere.example/", false, neverAsked);
      expect(unknown).toBe("The endpoint must be at a public address, and its name leads to none.");
      expect(await checkEndpoint("https://empty.example/", false, resolvesTo())).toBe(unknown);
      // A name inside gets the same words as one that does not exist.
      expect(await checkEndpoint("https://db.internal.example/", false, resolvesTo("10.0.0.5"))).toBe(unknown);
    });

    it("lets an operator register any name, also one that does not resolve yet", async () => {
      expect(await checkEndpoint("http://ollama.lan/", true, neverAsked)).toBeUndefined();
    });

    it("uses the system resolver by default", async () => {
      expect(await checkEndpoint("https://localhost/", false)).toContain("public address");
    });
  });
});

describe("lookups", () => {
  type Answer = { error: unknown; address: unknown; family: unknown };

  function ask(lookup: ReturnType<typeof guardedLookup>, options: { all?: boolean }): Promise<Answer> {
    return new Promise((resolve) => {
      lookup("api.example.com", options, (error, address, family) => resolve({ error, address, family }));
    });
  }

  const resolvesTo =
    (...addresses: string[]): Lookup =>
    async () =>
      addresses;

  describe("guardedLookup", () => {
    it("returns all checked addresses, or the first where one is requested", async () => {
      const lookup = guardedLookup(false, resolvesTo("1.1.1.1", "2606:4700::1"));
      expect(await ask(lookup, { all: true })).toMatchObject({
        error: null,
        address: [
          { address: "1.1.1.1", family: 4 },
          { address: "2606:4700::1", family: 6 },
        ],
      });
      expect(await ask(lookup, {})).toEqual({ error: null, address: "1.1.1.1", family: 4 });
    });

    it.each([[["127.0.0.1"]], [["1.1.1.1", "192.168.0.1"]], [["::ffff:10.0.0.1"]]])(
      "returns none of %j to a socket that may only connect to public addresses",
      async (addresses) => {
        const answer = await ask(guardedLookup(false, resolvesTo(...addresses)), { all: true });
        expect(answer.error).toMatchObject({ kind: "forbidden-address" });
        expect(answer.address).toEqual([]);
      },
    );

    it("accepts private addresses where that is allowed", async () => {
      const answer = await ask(guardedLookup(true, resolvesTo("127.0.0.1")), { all: true });
      expect(answer.address).toEqual([{ address: "127.0.0.1", family: 4 }]);
    });

    it("reports a name that can't be resolved or has no address", async () => {
      const broken = guardedLookup(true, () => Promise.reject(new Error("ENOTFOUND")));
      expect((await ask(broken, {})).error).toMatchObject({ kind: "dns" });
      expect((await ask(guardedLookup(true, resolvesTo()), {})).error).toMatchObject({ kind: "dns" });
    });
  });

  describe("coalesceLookups", () => {
    it("resolves once for simultaneous requests, and again for later ones", async () => {
      const asked: string[] = [];
      const lookup = coalesceLookups(async (hostname) => {
        asked.push(hostname);
        return ["1.1.1.1"];
      });
      await Promise.all([lookup("a.example"), lookup("a.example"), lookup("b.example")]);
      expect(asked).toEqual(["a.example", "b.example"]);
      await lookup("a.example");
      expect(asked).toEqual(["a.example", "b.example", "a.example"]);
    });

    it("does not cache a failure", async () => {
      let works = false;
      const lookup = coalesceLookups(async () => {
        if (!works) throw new Error("down");
        return ["1.1.1.1"];
      });
      await expect(lookup("a.example")).rejects.toThrow("down");
      works = true;
      expect(await lookup("a.example")).toEqual(["1.1.1.1"]);
    });
  });
});

describe("addresses", () => {
  const RESERVED: readonly (readonly [string, string])[] = [
    ["this network", "0.0.0.0"],
    ["this network", "0.1.2.3"],
    ["private", "10.0.0.1"],
    ["private", "10.255.255.255"],
    ["shared by carriers", "100.64.0.1"],
    ["shared by carriers", "100.127.255.255"],
    ["a cloud's metadata in the carriers' range", "100.100.100.200"],
    ["loopback", "127.0.0.1"],
    ["loopback", "127.255.255.254"],
    ["link-local", "169.254.0.1"],
    ["a cloud's metadata", "169.254.169.254"],
    ["private", "172.16.0.1"],
    ["private", "172.31.255.255"],
    ["protocol assignments", "192.0.0.1"],
    ["a cloud's metadata in protocol assignments", "192.0.0.192"],
    ["documentation", "192.0.2.1"],
    ["AS112", "192.31.196.1"],
    ["AMT", "192.52.193.1"],
    ["6to4 relays", "192.88.99.1"],
    ["private", "192.168.1.1"],
    ["AS112", "192.175.48.1"],
    ["benchmarking", "198.18.0.1"],
    ["benchmarking", "198.19.255.255"],
    ["documentation", "198.51.100.1"],
    ["documentation", "203.0.113.1"],
    ["multicast", "224.0.0.1"],
    ["multicast", "239.255.255.255"],
    ["future use", "240.0.0.1"],
    ["broadcast", "255.255.255.255"],
    ["a cloud's own host", "168.63.129.16"],
    ["unspecified", "::"],
    ["loopback", "::1"],
    ["IPv4-compatible", "::127.0.0.1"],
    ["IPv4-compatible, public inside", "::8.8.8.8"],
    ["IPv4-mapped", "::ffff:127.0.0.1"],
    ["IPv4-mapped in hexadecimal", "::ffff:7f00:1"],
    ["IPv4-mapped, public inside", "::ffff:8.8.8.8"],
    ["IPv4-translated", "::ffff:0:127.0.0.1"],
    ["NAT64", "64:ff9b::7f00:1"],
    ["NAT64, public inside", "64:ff9b::808:808"],
    ["local NAT64", "64:ff9b:1::a00:1"],
    ["discard", "100::1"],
    ["Teredo", "2001::1"],
    ["Teredo", "2001:0:53aa:64c:0:fbff:f5ff:fffe"],
    ["protocol assignments", "2001:1::1"],
    ["benchmarking", "2001:2::1"],
    ["AMT", "2001:3::1"],
    ["AS112", "2001:4:112::1"],
    ["ORCHID", "2001:10::1"],
    ["ORCHID 2", "2001:20::1"],
    ["drone identities", "2001:30::1"],
    ["documentation", "2001:db8::1"],
    ["6to4", "2002:7f00:1::"],
    ["6to4, public inside", "2002:808:808::1"],
    ["documentation", "3fff::1"],
    ["documentation", "3fff:fff:ffff::1"],
    ["never allocated", "4000::1"],
    ["segment routing", "5f00::1"],
    ["never allocated", "8000::1"],
    ["unique local", "fc00::1"],
    ["unique local", "fd00:ec2::254"],
    ["link-local", "fe80::1"],
    ["link-local with a zone", "fe80::1%eth0"],
    ["site-local", "fec0::1"],
    ["multicast", "ff02::1"],
  ];

  describe("isPublicAddress", () => {
    it.each(RESERVED)("refuses %s: %s", (_name, address) => {
      expect(isPublicAddress(address)).toBe(false);
    });

    it.each([
      "1.1.1.1",
      "8.8.8.8",
      "9.255.255.255",
      "11.0.0.0",
      "100.63.255.255",
      "100.128.0.0",
      "126.255.255.255",
      "128.0.0.1",
      "172.15.255.255",
      "172.32.0.0",
      "192.167.255.255",
      "198.17.255.255",
      "198.20.0.0",
      "223.255.255.255",
      "2001:200::1",
      "2001:4860:4860::8888",
      "2606:4700:4700::1111",
      "2a00:1450:4001:831::200e",
      "3ffe:ffff::1",
    ])("accepts %s", (address) => {
      expect(isPublicAddress(address)).toBe(true);
    });

    it.each([
      "",
      "localhost",
      "example.com",
      "127.1",
      "0x7f.0.0.1",
      "2130706433",
      "[2606:4700::1]",
      "8.8.8.8 ",
      "8.8.8.8/32",
    ])("refuses %j, which is no address", (text) => {
      expect(isPublicAddress(text)).toBe(false);
    });

    it("refuses every IPv4 address embedded in IPv6", () => {
      const prefixes = ["::", "::ffff:", "::ffff:0:", "64:ff9b::", "64:ff9b:1::"];
      fc.assert(
        fc.property(fc.ipV4(), fc.constantFrom(...prefixes), (address, prefix) => {
          expect(isPublicAddress(prefix + address)).toBe(false);
        }),
      );
    });
  });
});
