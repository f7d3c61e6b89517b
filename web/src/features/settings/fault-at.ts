import { ApiError } from "@trunkline/sdk";

/** What a failed call says about one field. */
export function faultAt(error: unknown, param: string): string | undefined {
  return error instanceof ApiError && error.param === param ? plain(error.message) : undefined;
}

/** What a failed call says, unless it is said at one of these fields. */
export function faultBeside(error: unknown, params: readonly string[] = []): string | undefined {
  if (error === null || error === undefined) return undefined;
  if (!(error instanceof ApiError)) return "It did not work. Try again.";
  return error.param !== undefined && params.includes(error.param) ? undefined : plain(error.message);
}

/** The API speaks to people who write code: its backticks say nothing here. */
function plain(message: string): string {
  return message.replaceAll("`", "");
}
