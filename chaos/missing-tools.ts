/** What a scenario needs and this machine does not give, said in a sentence. */
export class MissingMeans extends Error {
  override readonly name = "MissingMeans";
}
