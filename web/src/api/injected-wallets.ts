import { useSyncExternalStore } from "react";
import { texts } from "../texts/texts.ts";
import { api } from "./client.ts";

/** A browser's wallet, as extensions announce themselves (EIP-6963). */
export interface InjectedWallet {
  readonly id: string;
  readonly name: string;
  /** A picture in a `data:` address; undefined: it has none that may be shown. */
  readonly icon: string | undefined;
  /** Asks the wallet (EIP-1193). */
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

/** The person said no to the wallet's question. */
export class WalletDeclined extends Error {
  override readonly name = "WalletDeclined";
}

const DECLINED = 4001;
const UNKNOWN_CHAIN = 4902;

let wallets: readonly InjectedWallet[] = [];
const listeners = new Set<() => void>();
let isListening = false;

/** The wallets of this browser. They may announce themselves at any time. */
export function useInjectedWallets(): readonly InjectedWallet[] {
  return useSyncExternalStore(subscribe, () => wallets);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (!isListening) {
    isListening = true;
    window.addEventListener("eip6963:announceProvider", (event) => {
      const wallet = readAnnouncement(event);
      if (wallet === undefined || wallets.some(({ id }) => id === wallet.id)) return;
      wallets = [...wallets, wallet];
      for (const tell of listeners) tell();
    });
    window.dispatchEvent(new Event("eip6963:requestProvider"));
  }
  return () => listeners.delete(listener);
}

/** Extensions write these events, so that nothing of their form is certain. */
function readAnnouncement(event: Event): InjectedWallet | undefined {
  const detail: unknown = event instanceof CustomEvent ? event.detail : undefined;
  const info = fieldOf(detail, "info");
  const provider = fieldOf(detail, "provider");
  const [id, name, icon] = [fieldOf(info, "uuid"), fieldOf(info, "name"), fieldOf(info, "icon")];
  const request = fieldOf(provider, "request");
  if (typeof id !== "string" || typeof name !== "string" || typeof request !== "function") return undefined;
  return {
    id,
    name: name.slice(0, 40),
    icon: typeof icon === "string" && icon.startsWith("data:image/") ? icon : undefined,
    request: (call) => Promise.resolve(Reflect.apply(request, provider, [call])).catch(throwPlainly),
  };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function throwPlainly(error: unknown): never {
  if (fieldOf(error, "code") === DECLINED) throw new WalletDeclined(texts.api.wallet.declined);
  throw error;
}

/** The address that the person lets this page use. */
export async function connectWallet(wallet: InjectedWallet): Promise<string> {
  const accounts = await wallet.request({ method: "eth_requestAccounts" });
  const address: unknown = Array.isArray(accounts) ? accounts[0] : undefined;
  if (typeof address !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(address))
    throw new Error(texts.api.wallet.noAddress(wallet.name));
  return address.toLowerCase();
}

/** Signs a message, as Sign-In with Ethereum asks for. */
async function signMessage(wallet: InjectedWallet, address: string, message: string): Promise<string> {
  const signature = await wallet.request({ method: "personal_sign", params: [toHex(message), address] });
  if (typeof signature !== "string") throw new Error(texts.api.wallet.notSigned(wallet.name));
  return signature;
}

function toHex(text: string): string {
  const bytes = [...new TextEncoder().encode(text)];
  return `0x${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Links a wallet to the organisation: it signs the service's message. */
export async function linkWallet(
  wallet: InjectedWallet,
  address: string,
  terms: { readonly name: string; readonly logIn: boolean; readonly password?: string },
) {
  const { message } = await api.call("POST /v1/billing/wallets/challenge", { body: { address } });
  const signature = await signMessage(wallet, address, message);
  return api.call("POST /v1/billing/wallets", {
    body: {
      message,
      signature,
      name: terms.name,
      log_in: terms.logIn,
      ...(terms.password === undefined || terms.password === "" ? {} : { current: terms.password }),
    },
  });
}

/** Logs in by a linked wallet; the answer may ask for the second factor. */
export async function logInByWallet(wallet: InjectedWallet) {
  const address = await connectWallet(wallet);
  const { message } = await api.call("POST /v1/auth/wallet-options", { body: { address } });
  return api.call("POST /v1/auth/wallet", {
    body: { message, signature: await signMessage(wallet, address, message) },
  });
}

/** A transfer of tokens. */
export interface TokenPayment {
  readonly from: string;
  readonly contract: string;
  readonly to: string;
  readonly units: bigint;
  readonly chainId: number;
}

/** Sends tokens, on the right chain. Returns the transaction's hash. */
export async function sendTokens(wallet: InjectedWallet, payment: TokenPayment): Promise<string> {
  const chainId = `0x${payment.chainId.toString(16)}`;
  if ((await wallet.request({ method: "eth_chainId" })) !== chainId) {
    await wallet.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] }).catch((error: unknown) => {
      if (fieldOf(error, "code") !== UNKNOWN_CHAIN) throw error;
      throw new Error(texts.api.wallet.unknownChain(wallet.name, payment.chainId));
    });
  }
  const hash = await wallet.request({
    method: "eth_sendTransaction",
    params: [{ from: payment.from, to: payment.contract, data: transferCall(payment.to, payment.units) }],
  });
  if (typeof hash !== "string") throw new Error(texts.api.wallet.notSent(wallet.name));
  return hash;
}

/** The call `transfer(address,uint256)` of a token. */
export function transferCall(to: string, units: bigint): string {
  return `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, "0")}${units.toString(16).padStart(64, "0")}`;
}
