import { parseSignature } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DeployedContract, type EvmNode, startEvmNode } from "../support/evm-node.ts";

describe("the contracts on a real chain", () => {
  let node: EvmNode;
  let token: DeployedContract;

  beforeAll(async () => {
    node = await startEvmNode();
    token = await node.deploy("TrunklineToken", ["Trunk", "TRK", 6, 1_000_000n, node.account(0).address]);
  });
  afterAll(() => node.stop());

  const balanceOf = (address: `0x${string}`) =>
    node.client.readContract({ ...token, functionName: "balanceOf", args: [address] });

  it("mints the whole supply once and says its decimals", async () => {
    expect(await balanceOf(node.account(0).address)).toBe(1_000_000n);
    expect(await node.client.readContract({ ...token, functionName: "decimals" })).toBe(6);
  });

  it("moves tokens by a signed authorisation, once", async () => {
    const signer = node.account(0);
    const [to, nonce] = [node.account(5).address, `0x${"ab".repeat(32)}` as const];
    const message = { from: signer.address, to, value: 5n, validAfter: 0n, validBefore: 2n ** 40n, nonce };
    const fields = [
      { name: "from", type: "address" },
      { name: "to", type: "address" },
      { name: "value", type: "uint256" },
      { name: "validAfter", type: "uint256" },
      { name: "validBefore", type: "uint256" },
      { name: "nonce", type: "bytes32" },
    ];
    const signature = await node.client.signTypedData({
      account: signer,
      domain: { name: "Trunk", version: "1", chainId: node.chainId, verifyingContract: token.address },
      types: { TransferWithAuthorization: fields },
      primaryType: "TransferWithAuthorization",
      message,
    });
    const { v, yParity, r, s } = parseSignature(signature);
    const args = [signer.address, to, 5n, 0n, 2n ** 40n, nonce, Number(v ?? 27n + BigInt(yParity)), r, s];
    await node.send(node.account(7), token, "transferWithAuthorization", args);
    expect(await balanceOf(to)).toBe(5n);
    await expect(node.send(node.account(7), token, "transferWithAuthorization", args)).rejects.toThrow(/Used/);
    await expect(
      node.send(node.account(7), token, "transferWithAuthorization", [...args.slice(0, 6), signature]),
    ).rejects.toThrow(/Used/);
  });

  it("passes a deposit on to the treasury and says whose it is", async () => {
    const [payer, treasury] = [node.account(0), node.account(8).address];
    const deposits = await node.deploy("TrunklineDeposits", [token.address, treasury]);
    await node.send(payer, token, "approve", [deposits.address, 40n]);
    const reference = `0x${"07".repeat(32)}`;
    await node.send(payer, deposits, "deposit", [40n, reference]);
    expect([await balanceOf(treasury), await balanceOf(deposits.address)]).toEqual([40n, 0n]);
    const events = await node.client.getContractEvents({ ...deposits, fromBlock: 0n });
    expect(events[0]).toMatchObject({ args: { from: payer.address, accountReference: reference, received: 40n } });
    await expect(node.send(payer, deposits, "deposit", [1n, reference])).rejects.toThrow();
  });

  it("takes blocks back in a reorganisation", async () => {
    const before = await balanceOf(node.account(9).address);
    const head = await node.client.getBlockNumber();
    await node.reorganise(async () => {
      await node.send(node.account(0), token, "transfer", [node.account(9).address, 3n]);
    });
    expect(await balanceOf(node.account(9).address)).toBe(before);
    expect(await node.client.getBlockNumber()).toBe(head + 1n);
  });
});
