import { hash } from "@node-rs/argon2";
import { Fault } from "./fault.ts";

const LEAST = 12;
const MOST = 256;

/** What is kept of a password: argon2id, at the least cost that is still advised. Short ones are refused. */
export async function hashPassword(password: string): Promise<string> {
  const length = [...password].length;
  if (length < LEAST || length > MOST) {
    throw new Fault("invalid_request", `\`password\` must have ${LEAST} to ${MOST} characters.`, {
      param: "password",
    });
  }
  return hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
}
