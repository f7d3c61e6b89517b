import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { errnoOf } from "./errors.ts";

/** The database's password, made once. It must outlive the first start, because the cluster is made with it. */
export async function ensurePassword(file: string): Promise<string> {
  try {
    await writeFile(file, randomBytes(24).toString("base64url"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
  return readFile(file, "utf8");
}

/** A port that nobody listens on at this moment. */
export async function findFreePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No TCP port could be taken.");
  return address.port;
}
