/** How many characters a text has: some are two units. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at++) {
    if (isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at))) count--;
  }
  return count;
}

const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000;
