/** The Levenshtein distance. Its work grows with the product of the lengths, so bound them. */
export function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const added = (current[column - 1] ?? 0) + 1;
      const dropped = (above[column] ?? 0) + 1;
      current.push(Math.min(replaced, added, dropped));
    }
    above = current;
  }
  return above[b.length] ?? 0;
}
