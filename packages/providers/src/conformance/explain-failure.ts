import type { DialFailure, DialFailureKind } from "../dialer/dial-failure.ts";

const FAILURE_EXPLANATIONS: Record<DialFailureKind, string> = {
  "forbidden-address":
    "its address is not a public one. Register an https address that is reachable from the internet",
  refused: "nothing listens at its address. Start the endpoint and check the port",
  dns: "its host name can't be resolved. Check the spelling and the DNS record",
  tls: "its TLS certificate or handshake was not accepted. Use a certificate that is valid for this host name",
  "connect-timeout": "it did not take the connection in time. Check the address and the firewall",
  "first-byte-timeout": "it took the request and did not begin to answer in time",
  "silence-timeout": "it began to answer and then fell silent",
  "whole-timeout": "it did not finish its answer in time",
  "too-large": "its answer is larger than the limit",
  reset: "it closed the connection in the middle",
  aborted: "the call was stopped",
};

/** Why a call came to nothing, in words that follow “but” or a colon. */
export function explainFailure(failure: DialFailure): string {
  return FAILURE_EXPLANATIONS[failure.kind];
}
