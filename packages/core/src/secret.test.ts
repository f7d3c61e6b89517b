import { format, inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Sealer, Secret } from "./secret.ts";

describe("secrets", () => {
  const VALUE = "correct-horse-battery-staple";

  describe("Secret", () => {
    it("returns its value from reveal()", () => {
      expect(new Secret(VALUE).reveal()).toBe(VALUE);
    });

    it.each<[string, (secret: Secret) => string]>([
      ["JSON", (secret) => JSON.stringify({ model: { credential: secret } })],
      ["a template", (secret: unknown) => `${secret as string}`],
      ["String()", (secret) => String(secret)],
      ["concatenation", (secret: unknown) => `key: ${secret as string}`],
      ["inspect", (secret) => inspect({ deep: [secret] }, { depth: null, showHidden: true })],
      ["a format of %s", (secret) => format("%s", secret)],
      ["a format of %o", (secret) => format("%o", { secret })],
      ["a format of %j", (secret) => format("%j", { secret })],
      ["a join", (secret) => [secret, secret].join()],
      ["an error's message", (secret) => new Error(String(secret)).stack ?? ""],
      ["its own keys", (secret) => JSON.stringify([Object.keys(secret), Object.entries(secret), { ...secret }])],
    ])("does not show in %s", (_where, show) => {
      expect(show(new Secret(VALUE))).not.toContain(VALUE);
    });
  });
});

describe("sealed secrets", () => {
  const sealer = new Sealer(new Secret("the service's own secret"));
  const anyText = fc.string({ unit: "grapheme", maxLength: 200 });

  describe("Sealer", () => {
    it("opens a box for its owner", () => {
      fc.assert(
        fc.property(anyText, anyText, (value, owner) => {
          expect(sealer.open(sealer.seal(new Secret(value), owner), owner).reveal()).toBe(value);
        }),
      );
    });

    it("opens a box in another process with the same service secret", () => {
      const box = sealer.seal(new Secret("sk-1234"), "model-1");
      const other = new Sealer(new Secret("the service's own secret"));
      expect(other.open(box, "model-1").reveal()).toBe("sk-1234");
    });

    it("does not show the secret in its box, and makes a new box every time", () => {
      const boxes = [sealer.seal(new Secret("sk-1234"), "model-1"), sealer.seal(new Secret("sk-1234"), "model-1")];
      for (const box of boxes) expect(box.includes("sk-1234")).toBe(false);
      expect(boxes[0]?.equals(boxes[1] ?? Buffer.alloc(0))).toBe(false);
    });

    it("does not open a box for another owner", () => {
      const box = sealer.seal(new Secret("sk-1234"), "model-1");
      expect(() => sealer.open(box, "model-2")).toThrow();
      expect(() => sealer.open(box, "")).toThrow();
    });

    it("does not open a box under another service secret", () => {
      const box = sealer.seal(new Secret("sk-1234"), "model-1");
      expect(() => new Sealer(new Secret("another secret")).open(box, "model-1")).toThrow();
    });

    it("does not open a box when any bit of it was changed", () => {
      const box = sealer.seal(new Secret("sk-1234"), "model-1");
      for (let bit = 0; bit < box.length * 8; bit++) {
        const changed = Buffer.from(box);
        const at = bit >> 3;
        changed.writeUInt8(changed.readUInt8(at) ^ (1 << (bit & 7)), at);
        expect(() => sealer.open(changed, "model-1"), `bit ${bit}`).toThrow();
      }
    });

    it("opens boxes of the secret before, where it has that one too, and seals with its own", () => {
      const [before, now] = [new Secret("the secret before"), new Secret("the new secret")];
      const old = new Sealer(before).seal(new Secret("sk-1234"), "model-1");
      const both = new Sealer(now, "credentials", before);
      expect(both.open(old, "model-1").reveal()).toBe("sk-1234");
      const box = both.seal(new Secret("sk-5678"), "model-1");
      expect(new Sealer(now).open(box, "model-1").reveal()).toBe("sk-5678");
      expect(() => new Sealer(before).open(box, "model-1")).toThrow();
      expect(box.subarray(0, both.head.length)).toEqual(both.head);
      expect(old.subarray(0, both.head.length)).not.toEqual(both.head);
    });

    it("opens boxes of earlier versions, which don't name their key", () => {
      const [before, now] = [new Secret("the secret before"), new Secret("the new secret")];
      for (const secret of [before, now]) {
        const box = new Sealer(secret).seal(new Secret("sk-1234"), "model-1");
        const earlier = Buffer.concat([Buffer.of(1), box.subarray(5)]);
        expect(new Sealer(now, "credentials", before).open(earlier, "model-1").reveal()).toBe("sk-1234");
        expect(() => new Sealer(new Secret("another"), "credentials").open(earlier, "model-1")).toThrow();
      }
    });

    it("does not open a box that was cut or lengthened", () => {
      const box = sealer.seal(new Secret("sk-1234"), "model-1");
      for (let length = 0; length < box.length; length++) {
        expect(() => sealer.open(box.subarray(0, length), "model-1"), `${length} bytes`).toThrow();
      }
      expect(() => sealer.open(Buffer.concat([box, Buffer.alloc(1)]), "model-1")).toThrow();
    });
  });
});
