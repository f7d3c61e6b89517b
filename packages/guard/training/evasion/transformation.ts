/** One way to hide a text from whoever reads it letter by letter. The same text always becomes the same. */
export interface Transformation {
  readonly name: string;
  readonly apply: (text: string) => string;
}
