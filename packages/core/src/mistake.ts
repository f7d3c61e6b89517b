/** A mistake of whoever runs the service: it does not start, and says in a sentence what to do. */
export class StartupError extends Error {
  override readonly name: string = "Mistake";
}
