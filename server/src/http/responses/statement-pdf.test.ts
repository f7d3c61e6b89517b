import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type StatementDocument, writeStatementPdf } from "./statement-pdf.ts";

const STATEMENT: StatementDocument = {
  month: "2026-11",
  from: "2026-11-01T00:00:00.000Z",
  to: "2026-12-01T00:00:00.000Z",
  time_zone: "UTC",
  complete: true,
  opening_balance: 0,
  incoming: 30,
  refunds: 0,
  charges: 0.005477123,
  closing_balance: 29.994522877,
  receipts: [{ number: "TL-2026-0001", date: "2026-11-18", description: "Bought by card", amount: 30 }],
  taken_back: [],
  by_model: [{ model: "openai/gpt-4o-mini", requests: 1_234, cost: 0.005477123 }],
  by_key: [{ key_id: "1", key_name: "Web shop", requests: 1_234, cost: 0.005477123 }],
  issuer: { name: "Trunkline", url: null },
  recipient: { name: "Engines Ltd", company: null, address: [], country: null, tax_id: null, email: null },
};

/** The texts of a PDF, in their order: those of the standard fonts, and those in UTF-16. */
function textsIn(file: Buffer): string[] {
  const latin = file.toString("latin1");
  const streams = [...latin.matchAll(/\/FlateDecode[\s\S]*?stream\n([\s\S]*?)\nendstream/g)].map(([, body = ""]) =>
    inflateSync(Buffer.from(body, "latin1")).toString("latin1"),
  );
  const pieces = streams.join("\n").matchAll(/\[([^\]]*)\] TJ|<([0-9a-f]+)> Tj/g);
  return [...pieces].map(([, kerned, asian]) =>
    asian === undefined
      ? [...(kerned ?? "").matchAll(/<([0-9a-f]*)>/g)]
          .map(([, hex = ""]) => Buffer.from(hex, "hex").toString("latin1"))
          .join("")
      : Buffer.from(asian, "hex").swap16().toString("utf16le"),
  );
}

describe("a statement as a PDF", () => {
  it("has every figure of the statement, with all its decimals", async () => {
    const file = await writeStatementPdf(STATEMENT);
    expect(file.subarray(0, 5).toString()).toBe("%PDF-");
    expect(file.toString("latin1").trimEnd()).toMatch(/%%EOF$/);
    const texts = textsIn(file);
    expect(texts).toEqual(
      expect.arrayContaining([
        "Statement 2026-11",
        "2026-11-01 to 2026-11-30",
        "Engines Ltd",
        "$0.00",
        "$30.00",
        "-$0.005477123",
        "$29.994522877",
        "TL-2026-0001",
        "openai/gpt-4o-mini",
        "1,234",
        "Web shop",
        "Page 1 of 1",
      ]),
    );
  });

  it("goes on over as many pages as it needs, each with its head", async () => {
    const by_model = Array.from({ length: 120 }, (_, place) => ({ model: `model-${place}`, requests: 1, cost: 0.1 }));
    const texts = textsIn(await writeStatementPdf({ ...STATEMENT, by_model }));
    expect(texts.filter((text) => text === "Model")).toHaveLength(4);
    expect(texts).toContain("model-119");
    expect(texts).toContain("Page 4 of 4");
  });

  it("writes Chinese and Japanese names in a font of the reader's, and cuts what is too long", async () => {
    const recipient = { ...STATEMENT.recipient, company: "解析機関株式会社", name: "分析引擎" };
    const by_key = [{ key_id: "1", key_name: `${"x".repeat(300)}\u0000`, requests: 1, cost: 0.1 }];
    const file = await writeStatementPdf({ ...STATEMENT, recipient, by_key });
    const texts = textsIn(file);
    expect(texts).toEqual(expect.arrayContaining(["解析機関株式会社", "分析引擎"]));
    expect(file.toString("latin1")).toContain("UniGB-UTF16-H");
    expect(texts.find((text) => text.startsWith("xxx"))).toMatch(/^x{20,100}\.\.\.$/);
  });
});
