/** The objects of a stream, one a line, whether or not as events. */
export function objectsIn(text: string): unknown[] {
  const lines = text.split("\n").map((line) => line.replace(/^data: /, ""));
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
}
