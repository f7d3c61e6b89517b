import { Secret } from "@trunkline/core/secret.ts";
import { parseEndpointUrl } from "@trunkline/providers/dialer/address-guard.ts";
import { z } from "zod";
import type { TokenSettings } from "../../payments/token/token-settings.ts";
import { ConfigError } from "./config-file.ts";

export const addressSchema = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "must be an address: 0x and 40 hexadecimal digits")
  .transform((text) => text.toLowerCase());
const wholeNumberSchema = z.string().regex(/^\d{1,15}$/, "must be a whole number");
/** Fine enough for every token, and exact. */
const RATE_PATTERN = /^(\d{1,12})(?:\.(\d{1,18}))?$/;

/** Credits per token, as a decimal. */
export const rateTextSchema = z
  .string()
  .regex(RATE_PATTERN, "must be a decimal such as 0.25, with at most 18 decimals")
  .refine((text) => /[1-9]/.test(text), "must be above 0");

/** The variables of payments by token. */
export const tokenVariables = {
  TRUNKLINE_TOKEN_RPC_URL: z.string().min(1).optional(),
  TRUNKLINE_TOKEN_CHAIN_ID: wholeNumberSchema.transform(Number).optional(),
  TRUNKLINE_TOKEN_CONTRACT: addressSchema.optional(),
  TRUNKLINE_TOKEN_TREASURY: addressSchema.optional(),
  TRUNKLINE_TOKEN_DEPOSIT_CONTRACT: addressSchema.optional(),
  TRUNKLINE_TOKEN_RATE: rateTextSchema.optional(),
  TRUNKLINE_TOKEN_PRICE_FEED: addressSchema.optional(),
  TRUNKLINE_TOKEN_PRICE_MAX_AGE_SECONDS: wholeNumberSchema.transform(Number).default(3_600),
  TRUNKLINE_TOKEN_CONFIRMATIONS: wholeNumberSchema
    .transform(Number)
    .refine((count) => count >= 1 && count <= 100_000, "must be from 1 to 100000")
    .optional(),
  TRUNKLINE_TOKEN_START_BLOCK: wholeNumberSchema.transform(BigInt).default(0n),
};

type TokenVariables = z.output<z.ZodObject<typeof tokenVariables>>;

/** How the token is paid with; undefined: it is not. */
export function readTokenSettings(variables: TokenVariables): TokenSettings | undefined {
  const {
    TRUNKLINE_TOKEN_RPC_URL: urls,
    TRUNKLINE_TOKEN_CHAIN_ID: chainId,
    TRUNKLINE_TOKEN_CONTRACT: contract,
    TRUNKLINE_TOKEN_TREASURY: treasury,
    TRUNKLINE_TOKEN_RATE: rate,
    TRUNKLINE_TOKEN_PRICE_FEED: feed,
  } = variables;
  const required = {
    TRUNKLINE_TOKEN_RPC_URL: urls,
    TRUNKLINE_TOKEN_CHAIN_ID: chainId,
    TRUNKLINE_TOKEN_CONTRACT: contract,
    TRUNKLINE_TOKEN_TREASURY: treasury,
  };
  const isAsked =
    Object.values(required).some((value) => value !== undefined) || rate !== undefined || feed !== undefined;
  if (!isAsked) return undefined;
  const missing = Object.entries(required).find(([, value]) => value === undefined)?.[0];
  if (urls === undefined || chainId === undefined || contract === undefined || treasury === undefined) {
    throw new ConfigError(
      `${missing} is required where the token is accepted, as are ${Object.keys(required).join(", ")}.`,
    );
  }
  if ((rate === undefined) === (feed === undefined)) {
    throw new ConfigError(
      "Set either TRUNKLINE_TOKEN_RATE, the credits per token, or TRUNKLINE_TOKEN_PRICE_FEED, a contract that says them.",
    );
  }
  return {
    rpcUrls: readUrls(urls),
    chainId,
    contract,
    treasury,
    depositContract: variables.TRUNKLINE_TOKEN_DEPOSIT_CONTRACT,
    rate:
      feed === undefined
        ? { kind: "fixed", rate: parseRate(rate ?? "") }
        : { kind: "feed", address: feed, maxAgeSeconds: variables.TRUNKLINE_TOKEN_PRICE_MAX_AGE_SECONDS },
    confirmations: variables.TRUNKLINE_TOKEN_CONFIRMATIONS,
    startBlock: variables.TRUNKLINE_TOKEN_START_BLOCK,
  };
}

/** The addresses often hold a key, so that they are secrets. */
function readUrls(text: string): readonly Secret[] {
  const urls = text
    .split(",")
    .map((url) => url.trim())
    .filter((url) => url !== "");
  const wrong = urls.findIndex((url) => typeof parseEndpointUrl(url, true) === "string");
  if (urls.length === 0 || wrong !== -1) {
    throw new ConfigError(
      `The variable TRUNKLINE_TOKEN_RPC_URL must be one or more addresses with commas between them, such as https://rpc.example.com; number ${wrong + 1} is none.`,
    );
  }
  return urls.map((url) => new Secret(url));
}

export function parseRate(text: string) {
  const [, whole = "0", fraction = ""] = RATE_PATTERN.exec(text) ?? [];
  return { numerator: BigInt(whole + fraction), decimals: fraction.length };
}
