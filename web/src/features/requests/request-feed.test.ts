import { describe, expect, it } from "vitest";
import {
  anchorOf,
  mergeRows,
  RequestFeed,
  type RequestPage,
  type RequestQuery,
  type RequestRow,
} from "./request-feed.ts";

/** A request that arrived the given seconds after the first. */
function row(second: number): RequestRow {
  return {
    id: `00000000-0000-7000-8000-${String(second).padStart(12, "0")}`,
    created_at: new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString(),
    path: "/v1/generate",
    task: "text",
    model: "acme/model",
    status: 200,
    error_type: null,
    input_tokens: 1,
    output_tokens: 1,
    cost: 0,
    latency_ms: 1,
    key_id: "key",
    key_name: "Key",
    tags: {},
  };
}

/** The service with these requests on record, by their seconds. */
function serverOf(seconds: number[]) {
  const asked: RequestQuery[] = [];
  const ask = async (query: RequestQuery): Promise<RequestPage> => {
    asked.push(query);
    const { cursor, after, limit = 100 } = query;
    const found = seconds
      .toSorted((a, b) => b - a)
      .map(row)
      .filter(({ id }) => (cursor === undefined || id < cursor) && (after === undefined || id > after));
    const data = found.slice(0, Number(limit));
    const last = found.length > data.length ? (data.at(-1)?.id ?? null) : null;
    return { data, next_cursor: last, prev_cursor: null, searched_until: null };
  };
  return { asked, ask, seconds };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const secondsOf = (rows: readonly RequestRow[]) => rows.map(({ id }) => Number(id.slice(-12)));

async function startedFeed(seconds: number[]) {
  const server = serverOf(seconds);
  const feed = new RequestFeed(server.ask, { status: "ok" });
  await feed.start();
  return { server, feed };
}

describe("the list of requests", () => {
  it("grows by pages of older ones until there are none", async () => {
    const { server, feed } = await startedFeed(range(0, 250));
    expect(secondsOf(feed.state().rows)).toEqual(range(150, 250).reverse());
    await feed.loadMore();
    await feed.loadMore();
    expect(feed.state()).toMatchObject({ hasMore: false, phase: "ready" });
    expect(secondsOf(feed.state().rows)).toEqual(range(0, 250).reverse());
    await feed.loadMore();
    expect(server.asked).toHaveLength(3);
    expect(server.asked.every(({ status }) => status === "ok")).toBe(true);
  });

  it("takes in what is new at the top, and what ended late in its place", async () => {
    const { server, feed } = await startedFeed([10, 20, 30]);
    server.seconds.push(40, 25);
    await feed.poll(false);
    expect(secondsOf(feed.state().rows)).toEqual([40, 30, 25, 20, 10]);
    expect(feed.state().fresh.size).toBe(2);
    await feed.poll(false);
    expect(secondsOf(feed.state().rows)).toEqual([40, 30, 25, 20, 10]);
  });

  it("moves nothing under the reader: new requests wait until they are asked for", async () => {
    const { server, feed } = await startedFeed([10, 20]);
    const before = feed.state().rows;
    server.seconds.push(30);
    await feed.poll(true);
    server.seconds.push(40);
    await feed.poll(true);
    expect(feed.state()).toMatchObject({ waiting: 2 });
    expect(feed.state().rows).toBe(before);
    feed.reveal();
    expect(feed.state().waiting).toBe(0);
    expect(secondsOf(feed.state().rows)).toEqual([40, 30, 20, 10]);
  });

  it("leaves no gap when many arrive at once, and starts over when there are too many", async () => {
    const { server, feed } = await startedFeed([0]);
    server.seconds.push(...range(1, 251));
    await feed.poll(false);
    expect(secondsOf(feed.state().rows)).toEqual(range(0, 251).reverse());
    server.seconds.push(...range(251, 1_000));
    await feed.poll(false);
    expect(secondsOf(feed.state().rows)).toEqual(range(900, 1_000).reverse());
    expect(feed.state().hasMore).toBe(true);
  });

  it("goes on with a search that found nothing yet, but not for ever", async () => {
    let steps = 0;
    const feed = new RequestFeed(
      async () => ({
        data: [],
        next_cursor: `c${steps++}`,
        prev_cursor: null,
        searched_until: "2026-01-01T00:00:00Z",
      }),
      {},
    );
    await feed.start();
    expect(steps).toBe(4);
    expect(feed.state()).toMatchObject({ rows: [], hasMore: true, searchedUntil: "2026-01-01T00:00:00Z" });
    await feed.loadMore();
    expect(steps).toBe(8);
  });

  it("says what failed, and keeps what it has", async () => {
    let fails = true;
    const server = serverOf(range(0, 150));
    const feed = new RequestFeed((query) => (fails ? Promise.reject(new Error("away")) : server.ask(query)), {});
    await feed.start();
    expect(feed.state()).toMatchObject({ phase: "failed", error: new Error("away") });
    fails = false;
    await feed.start();
    fails = true;
    await feed.loadMore();
    await feed.poll(false);
    expect(feed.state()).toMatchObject({ phase: "ready", error: new Error("away"), isLoadingMore: false });
    expect(feed.state().rows).toHaveLength(100);
  });
});

describe("where to look for new ones", () => {
  it("is five minutes back, for what ends late, but no further than a page", () => {
    expect(anchorOf([])).toBeUndefined();
    expect(anchorOf([row(1_000), row(800), row(700), row(699)])).toBe(row(700).id);
    expect(anchorOf(range(0, 200).reverse().map(row))).toBe(row(101).id);
  });

  it("needs both lists in order, and keeps it", () => {
    expect(secondsOf(mergeRows([3, 1].map(row), [4, 2, 0].map(row)))).toEqual([4, 3, 2, 1, 0]);
  });
});
