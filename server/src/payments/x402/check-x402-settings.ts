import { StartupError } from "@trunkline/core/fault.ts";
import { bytesSchema, quantitySchema, readText, readWords, toWord } from "../token/chain-values.ts";
import { type RpcNode, RpcRefusal } from "../token/json-rpc.ts";
import type { X402Settings } from "./x402-settings.ts";

/** The first four bytes of the calls that are made. */
const SELECTORS = {
  name: "0x06fdde03",
  decimals: "0x313ce567",
  authorizationState: "0xe94a0102",
  domainSeparator: "0x3644e515",
} as const;

/**
 * Compares the settings of x402 with the chain. Throws StartupError where they don't fit: payments on such terms would all be
 * refused, for a reason that no client understands.
 */
export async function checkX402Settings(
  { chainId, asset, payTo, assetVersion }: Pick<X402Settings, "chainId" | "asset" | "payTo" | "assetVersion">,
  node: RpcNode,
): Promise<void> {
  const id = Number(quantitySchema.parse(await node.call("eth_chainId", [])));
  if (id !== chainId) {
    throw new StartupError(
      `TRUNKLINE_X402_CHAIN_ID is ${chainId}, but the chain at TRUNKLINE_X402_RPC_URL has the id ${id}. Correct one of them.`,
    );
  }
  const read = async (data: string) => {
    try {
      return bytesSchema.parse(await node.call("eth_call", [{ to: asset, data }, "latest"]));
    } catch (error) {
      // A contract that reverts, or none at all.
      if (error instanceof RpcRefusal) return "0x";
      throw error;
    }
  };
  const [decimals, state, name, separator] = await Promise.all([
    read(SELECTORS.decimals),
    read(`${SELECTORS.authorizationState}${toWord(payTo)}${toWord(0n)}`),
    read(SELECTORS.name),
    read(SELECTORS.domainSeparator),
  ]);
  if (readWords(decimals).length !== 1 || readWords(state).length !== 1) {
    throw new StartupError(
      `TRUNKLINE_X402_ASSET is no token with EIP-3009: the contract at ${asset} on chain ${chainId} has no decimals() or no authorizationState().`,
    );
  }
  // Not every token has the function that says its domain.
  if (readWords(separator).length !== 1) return;
  const { domainSeparator } = await import("viem");
  const domain = { name: readText(name), version: assetVersion, chainId, verifyingContract: asset as `0x${string}` };
  if (domainSeparator({ domain }) !== separator.toLowerCase()) {
    throw new StartupError(
      `TRUNKLINE_X402_ASSET_VERSION is ${assetVersion}, and the contract at ${asset} signs by another: its name is "${domain.name}". USDC has the version 2.`,
    );
  }
}
