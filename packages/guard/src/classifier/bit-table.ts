/** One bit a place. */

export function isBitSet(bits: Uint8Array, place: number): boolean {
  return (((bits[place >>> 3] ?? 0) >>> (place & 7)) & 1) === 1;
}

export function setBit(bits: Uint8Array, place: number): void {
  bits[place >>> 3] = (bits[place >>> 3] ?? 0) | (1 << (place & 7));
}
