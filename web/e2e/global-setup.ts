import { ensureChromium } from "./chromium.ts";

/** Before any test runs: two of them must not install the same packages at once. */
export default function setUp(): void {
  ensureChromium();
}
