/** The most names that are compared: a typing error must not cost more than an answer. */
const MAX_NAMES_COMPARED = 2_000;
const MAX_NAME_CHARS = 160;

/** Up to three names that a mistyped one may have meant, the likeliest first. */
export function similarNames(wanted: string, names: Iterable<string>): string[] {
  const sought = wanted.slice(0, MAX_NAME_CHARS).toLowerCase();
  const farthest = Math.max(2, Math.floor(sought.length / 3));
  const found: { name: string; distance: number }[] = [];
  let compared = 0;
  for (const name of names) {
    if (++compared > MAX_NAMES_COMPARED) break;
    const distance = nameDistance(sought, name.toLowerCase(), farthest);
    if (distance <= farthest) found.push({ name, distance });
  }
  found.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return found.slice(0, 3).map(({ name }) => name);
}

/** One name that begins the other is as near as one wrong letter: people leave versions off and write them out. */
function nameDistance(sought: string, name: string, farthest: number): number {
  if (sought === name) return 0;
  if (sought.length >= 2 && (name.startsWith(sought) || sought.startsWith(name))) return 1;
  if (Math.abs(sought.length - name.length) > farthest) return Number.POSITIVE_INFINITY;
  return editDistance(sought, name);
}

/** The fewest letters to add, drop or replace, to make one text of the other. */
function editDistance(a: string, b: string): number {
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
