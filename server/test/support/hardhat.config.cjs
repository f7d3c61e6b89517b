// Blocks are mined when a test says so or sends a transaction, never by time.
module.exports = {
  solidity: "0.8.37",
  networks: {
    hardhat: {
      chainId: Number(process.env.EVM_NODE_CHAIN_ID),
      mining: { auto: true, interval: 0 },
      loggingEnabled: false,
    },
  },
};
