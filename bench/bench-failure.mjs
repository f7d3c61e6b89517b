// @ts-check
/** What goes wrong in a way that a sentence explains. */
export class BenchFailure extends Error {}
