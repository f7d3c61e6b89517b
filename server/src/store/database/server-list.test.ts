import { describe, expect, it } from "vitest";
import { readServerList } from "./server-list.ts";

describe("a connection string", () => {
  it.each([
    "postgres://user:secret@db/x",
    "postgres://db:5433/x?sslmode=verify-full",
    "postgres://u@localhost:5/x?host=%2Ftmp",
  ])("%s names one server, and is left to pg", (text) => expect(readServerList(text)).toBeUndefined());

  it("names several servers with their ports, and seeks the one that takes writes", () => {
    expect(readServerList("postgres://user:p%40ss@db-1,db-2:5433,[fd00::3]:5434/shop?sslmode=verify-full")).toEqual({
      servers: [
        { host: "db-1", port: 5432 },
        { host: "db-2", port: 5433 },
        { host: "fd00::3", port: 5434 },
      ],
      role: "read-write",
      connectionString: "postgres://user:p%40ss@db-1:5432/shop?sslmode=verify-full",
    });
  });

  it("may name them by parameters, folders of sockets too", () => {
    expect(readServerList("postgresql://u@/shop?host=a,b&port=5433&target_session_attrs=primary")).toEqual({
      servers: [
        { host: "a", port: 5433 },
        { host: "b", port: 5433 },
      ],
      role: "primary",
      connectionString: "postgresql://u@a:5433/shop",
    });
    expect(readServerList("postgres://u@localhost:6000/shop?host=%2Frun%2Fa,%2Frun%2Fb")).toMatchObject({
      servers: [
        { host: "/run/a", port: 6000 },
        { host: "/run/b", port: 6000 },
      ],
      connectionString: "postgres://u@localhost:6000/shop?host=%2Frun%2Fa",
    });
  });

  it("may ask for a role of one server alone", () => {
    expect(readServerList("postgres://db/x?target_session_attrs=standby")).toMatchObject({
      servers: [{ host: "db", port: 5432 }],
      role: "standby",
    });
    expect(readServerList("postgres://a,b/x", "prefer-standby")?.role).toBe("prefer-standby");
  });

  it.each([
    [
      "postgres://u:secret@a,b/x?target_session_attrs=leader",
      /target_session_attrs that is not one of any, read-write/,
    ],
    ["postgres://u:secret@a,,b/x", /server "" that is not of the form host:port/],
    ["postgres://u:secret@a:port,b/x", /server "a:port" that is not/],
    ["postgres://u:secret@a:70000,b/x", /port "70000" that is none/],
    ["postgres://u:secret@/x?host=a,b,c&port=1,2", /names 3 servers and 2 ports/],
    ["postgres://u:secret@/x?host=a,", /empty name/],
  ])("%s is refused with a sentence, and without the password", (text, sentence) => {
    expect(() => readServerList(text)).toThrow(sentence);
    expect(() => readServerList(text)).not.toThrow(/secret/);
  });
});
