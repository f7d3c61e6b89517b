import { beginInstallingPrograms } from "@trunkline/testing/system-package.ts";
import { findChromium, HEADLESS } from "./chromium.ts";

/** `npm test` for everything needs every program of the system that any test needs. */
export default function setUp(): void {
  if (process.env.TEST_EVERYTHING !== "yes") return;
  beginInstallingPrograms((program) => program !== HEADLESS || findChromium() === undefined);
}
