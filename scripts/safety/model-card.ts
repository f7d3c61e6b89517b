import type { HeldOut } from "./held-out.ts";
import type { Row } from "./rows.ts";
export function modelCard(_rows: readonly Row[], _size: number, _heldOut: readonly HeldOut[] | undefined, before: string): string {
  return before;
}
