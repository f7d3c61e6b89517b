import { existsSync } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askControlSocket, controlSocketIn, startControlSocket } from "./control-socket.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trunkline-control-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("the control socket", () => {
  it("passes an order on and its outcome back, and only this user may open it", async () => {
    const path = controlSocketIn(folder);
    const control = await startControlSocket(path, async (order) => ({ isDone: true, message: `Did ${order}.` }));
    expect(await askControlSocket(path, "reload")).toEqual({ isDone: true, message: "Did reload." });
    expect((await stat(path)).mode & 0o077).toBe(0);
    await expect(startControlSocket(path, async () => ({ isDone: true, message: "" }))).rejects.toThrow(
      /Another service takes orders/,
    );
    await control.stop();
    expect(await askControlSocket(path, "reload")).toBeUndefined();
  });

  it("takes the place of one that a killed service left", async () => {
    const path = join(folder, "left.sock");
    await writeFile(path, "");
    const control = await startControlSocket(path, async () => {
      throw new Error("It can't be done.");
    });
    expect(await askControlSocket(path, "reload")).toEqual({ isDone: false, message: "It can't be done." });
    control.remove();
    expect(existsSync(path)).toBe(false);
    await control.stop();
  });

  it("closes on a client that sends no order but a flood", async () => {
    const path = join(folder, "flood.sock");
    const control = await startControlSocket(path, async () => ({ isDone: true, message: "" }));
    const socket = connect(path, () => socket.write("x".repeat(10_000)));
    socket.on("error", () => undefined);
    await new Promise((resolve) => socket.once("close", resolve));
    await control.stop();
  });

  it("is elsewhere where the data folder's path is too long for a socket", () => {
    expect(controlSocketIn(`/${"long/".repeat(40)}`).length).toBeLessThan(100);
  });
});
