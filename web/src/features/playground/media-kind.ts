/** Whether an address holds an image or audio itself. */
export function mediaKindOf(url: string): "image" | "audio" | undefined {
  const kind = /^data:(image|audio)\//i.exec(url)?.[1]?.toLowerCase();
  return kind === "image" || kind === "audio" ? kind : undefined;
}
