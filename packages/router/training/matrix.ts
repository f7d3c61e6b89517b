/** A table of numbers by row and column. */
export class Grid {
  readonly values: Float64Array;
  readonly columns: number;

  constructor(rows: number, columns: number, value = 0) {
    this.columns = columns;
    this.values = new Float64Array(rows * columns).fill(value);
  }

  get(row: number, column: number): number {
    return this.values[row * this.columns + column] ?? Number.NaN;
  }

  set(row: number, column: number, value: number): void {
    this.values[row * this.columns + column] = value;
  }

  add(row: number, column: number, value: number): void {
    this.set(row, column, this.get(row, column) + value);
  }
}

/** Solves linear equations; the grid has the right side as its last column, and is used up. */
export function solve(grid: Grid): Float64Array {
  const size = grid.columns - 1;
  for (let pivot = 0; pivot < size; pivot++) {
    for (let row = 0; row < size; row++) {
      if (row === pivot) continue;
      const factor = grid.get(row, pivot) / grid.get(pivot, pivot);
      if (factor === 0) continue;
      for (let column = pivot; column <= size; column++) {
        grid.add(row, column, -factor * grid.get(pivot, column));
      }
    }
  }
  return Float64Array.from({ length: size }, (_, row) => grid.get(row, size) / grid.get(row, row));
}

export function chance(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

export function odds(share: number): number {
  return Math.log(share / (1 - share));
}
