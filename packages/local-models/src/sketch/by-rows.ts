const ROWS_PER_STEP = 8;

/**
 * Does something for every row, letting others have their turn in between. The work itself is a plain function:
 * the engine makes those fast, which it does not do as well for one that waits in its middle.
 */
export async function byRows(
  fromRow: number,
  toRow: number,
  paintRow: (row: number) => void,
  nextTurn: () => Promise<void>,
): Promise<void> {
  for (let row = fromRow; row < toRow; row += 1) {
    paintRow(row);
    if (row % ROWS_PER_STEP === 0) await nextTurn();
  }
}
