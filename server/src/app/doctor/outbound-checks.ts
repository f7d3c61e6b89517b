import { KNOWN_PROVIDERS } from "@trunkline/providers/discovery/known-providers.ts";
import { keyCheckOf } from "@trunkline/providers/discovery/list-models.ts";
import { createSmtpTransport } from "../../notify/mail/smtp.ts";
import { createRpcNode } from "../../payments/token/json-rpc.ts";
import { TokenChain } from "../../payments/token/token-chain.ts";
import type { CardConfig } from "../config/card-config.ts";
import { type CheckInput, type Finding, failed, note, ok } from "./finding.ts";

const WAIT_MS = 8_000;
const LIMITS = {
  connectMs: WAIT_MS,
  firstByteMs: WAIT_MS,
  silenceMs: WAIT_MS,
  wholeMs: WAIT_MS,
  responseBytes: 4 * 1024 * 1024,
  chunkBytes: 4 * 1024 * 1024,
};

interface Question {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly mayDialPrivate: boolean;
}

/** The status of an answer, or why there is none. */
async function ask({ dialer }: CheckInput, question: Question): Promise<number | string> {
  try {
    const reply = await dialer.get({ ...question, limits: LIMITS }, AbortSignal.timeout(2 * WAIT_MS));
    reply.discardBody();
    return reply.status;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Each provider by its key, and the hosts of the declared models. */
export async function checkProviders(input: CheckInput): Promise<Finding[]> {
  const { models, discovery } = input.config;
  const origins = new Map(models.map(({ terms }) => [new URL(terms.endpoint).origin, terms.endpoint]));
  const findings = await Promise.all([
    ...discovery.providers.map(({ id, variable, keys }) =>
      Promise.all(keys.map((key) => checkKey(input, id, variable, key.reveal()))),
    ),
    ...[...origins].map(async ([origin, endpoint]) => {
      const answer = await ask(input, { url: endpoint, headers: {}, mayDialPrivate: true });
      return [
        typeof answer === "number"
          ? ok(`${origin}, of declared models, answers.`)
          : failed(`${origin}, of declared models, can't be reached: ${answer}.`),
      ];
    }),
  ]);
  return findings.length === 0
    ? [note("No provider is configured: requests get answers of the built-in and of registered models alone.")]
    : findings.flat();
}

async function checkKey(input: CheckInput, id: string, variable: string, key: string): Promise<Finding> {
  const base = input.config.discovery.bases.get(id);
  const wire = KNOWN_PROVIDERS.find((provider) => provider.id === id)?.wire;
  const question = base === undefined || wire === undefined ? undefined : keyCheckOf(wire, base.url, key);
  if (base === undefined || question === undefined) return note(`The key of ${id} (${variable}) can't be tried.`);
  const answer = await ask(input, { ...question, mayDialPrivate: base.chosen });
  if (typeof answer === "string") return failed(`${id} can't be reached: ${answer}.`);
  if (answer === 401 || answer === 403) return failed(`${id} refuses the key in ${variable} (${answer}).`);
  if (answer >= 500) return failed(`${id} answers with the error ${answer}.`);
  return answer === 200
    ? ok(`${id} accepts the key in ${variable}.`)
    : note(`${id} answers with ${answer}, so that it is not known whether it accepts the key in ${variable}.`);
}

export async function checkMail({ config }: CheckInput): Promise<Finding[]> {
  if (config.mail === undefined)
    return [note("No mail server is set (SMTP_URL): links that would be mailed are in the log.")];
  const transport = createSmtpTransport(config.mail.url, config.mail.from);
  const { host } = new URL(config.mail.url.reveal());
  try {
    await transport.verify();
    return [ok(`The mail server ${host} accepts the log-in.`)];
  } catch (error) {
    return [
      failed(`The mail server ${host} can't be used: ${error instanceof Error ? error.message : String(error)}.`),
    ];
  } finally {
    transport.close();
  }
}

/** Cards, the token, and single requests that are paid for. */
export async function checkPayments(input: CheckInput): Promise<Finding[]> {
  const { card, token, x402 } = input.config;
  if (card === undefined && token === undefined && x402 === undefined)
    return [note("No payments are set up: credits come from grants and redeem codes.")];
  const findings = await Promise.all([
    card === undefined ? [] : checkStripe(input, card),
    token === undefined ? [] : checkToken(input, token),
    x402 === undefined ? [] : checkX402(input, x402),
  ]);
  return findings.flat();
}

async function checkStripe(input: CheckInput, { stripe }: CardConfig): Promise<Finding[]> {
  const headers = { authorization: `Bearer ${stripe.secretKey.reveal()}` };
  const url = `${stripe.apiBase.replace(/\/$/, "")}/v1/balance`;
  const answer = await ask(input, { url, headers, mayDialPrivate: true });
  if (answer === 200) return [ok("Stripe accepts STRIPE_SECRET_KEY.")];
  if (answer === 403) return [ok("Stripe knows STRIPE_SECRET_KEY, which may not read the balance.")];
  return [
    failed(
      typeof answer === "string"
        ? `Stripe can't be reached: ${answer}.`
        : `Stripe refuses STRIPE_SECRET_KEY (${answer}).`,
    ),
  ];
}

async function checkToken(
  { dialer }: CheckInput,
  settings: ConstructorParameters<typeof TokenChain>[0],
): Promise<Finding[]> {
  const signal = AbortSignal.timeout(2 * WAIT_MS);
  const chain = new TokenChain(
    settings,
    settings.rpcUrls.map((url) => createRpcNode(dialer, url, signal)),
  );
  try {
    const { symbol } = await chain.facts();
    return [ok(`The nodes of the token ${symbol} answer, and the settings fit the chain.`)];
  } catch (error) {
    return [failed(`Payments by token don't work: ${error instanceof Error ? error.message : String(error)}`)];
  }
}

async function checkX402(
  { dialer }: CheckInput,
  { rpcUrl, chainId }: { readonly rpcUrl: Parameters<typeof createRpcNode>[1]; readonly chainId: number },
): Promise<Finding[]> {
  const node = createRpcNode(dialer, rpcUrl, AbortSignal.timeout(2 * WAIT_MS));
  try {
    const found = Number(await node.call("eth_chainId", []));
    return found === chainId
      ? [ok(`The node for x402, ${node.host}, answers.`)]
      : [failed(`TRUNKLINE_X402_CHAIN_ID is ${chainId}, but the chain at ${node.host} has the id ${found}.`)];
  } catch (error) {
    return [failed(`Payments by x402 don't work: ${error instanceof Error ? error.message : String(error)}`)];
  }
}
