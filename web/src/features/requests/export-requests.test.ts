import { describe, expect, it } from "vitest";
import { collectRequests, toCsv } from "./export-requests.ts";
import type { RequestRow } from "./request-feed.ts";

const row = (change: Partial<RequestRow> = {}): RequestRow => ({
  id: "01890000-0000-7000-8000-000000000000",
  created_at: "2026-01-01T00:00:00.000Z",
  path: "/v1/generate",
  task: "chat",
  model: "acme/large",
  status: 200,
  error_type: null,
  input_tokens: 30,
  output_tokens: 20,
  cost: 1e-9,
  latency_ms: 12,
  key_id: "key",
  key_name: "Key",
  tags: {},
  ...change,
});
const page = (data: readonly RequestRow[], next: string | null) => ({
  data,
  next_cursor: next,
  prev_cursor: null,
  searched_until: null,
});

describe("an export", () => {
  it("reads page after page, past empty ones, with the same filter", async () => {
    const asked: unknown[] = [];
    const pages = [page([row()], "a"), page([], "b"), page([row({ status: 500 })], null)];
    const found = await collectRequests(
      async (query) => {
        asked.push(query.cursor);
        expect(query.status).toBe("error");
        return pages[asked.length - 1] ?? page([], null);
      },
      { status: "error" },
    );
    expect(asked).toEqual([undefined, "a", "b"]);
    expect(found).toMatchObject({ isCut: false, rows: [{ status: 200 }, { status: 500 }] });
  });

  it("ends at its size and says so", async () => {
    const found = await collectRequests(async () => page([row(), row()], "next"), {}, 3);
    expect([found.rows.length, found.isCut]).toEqual([3, true]);
  });

  it("is a table that opens in a spreadsheet, without formulas", () => {
    const csv = toCsv([row({ task: '=cmd|"x"', key_name: null, tags: { team: "a,b", user: "7" } })]);
    expect(csv.split("\r\n")).toEqual([
      "id,created_at,status,error_type,model,task,path,key_id,key_name,input_tokens,output_tokens,latency_ms,cost,tags",
      `01890000-0000-7000-8000-000000000000,2026-01-01T00:00:00.000Z,200,,acme/large,"'=cmd|""x""",/v1/generate,key,,30,20,12,0.000000001,"team=a,b; user=7"`,
      "",
    ]);
  });
});
