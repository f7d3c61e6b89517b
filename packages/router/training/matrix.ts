/** A table of numbers by row and column. */
export class Matrix {
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

/** Solves linear equations. The last column is the right side; the grid is overwritten. */
export function solveLinearSystem(matrix: Matrix): Float64Array {
  const size = matrix.columns - 1;
  for (let pivot = 0; pivot < size; pivot++) {
    for (let row = 0; row < size; row++) {
      if (row === pivot) continue;
      const factor = matrix.get(row, pivot) / matrix.get(pivot, pivot);
      if (factor === 0) continue;
      for (let column = pivot; column <= size; column++) {
        matrix.add(row, column, -factor * matrix.get(pivot, column));
      }
    }
  }
  return Float64Array.from({ length: size }, (_, row) => matrix.get(row, size) / matrix.get(row, row));
}

export function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

export function logit(share: number): number {
  return Math.log(share / (1 - share));
}
