// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// For tests: a price source with the functions of a Chainlink aggregator.
contract PriceFeed {
    uint8 public immutable decimals;
    int256 public price;
    uint256 public updatedAt;

    constructor(uint8 decimals_, int256 price_) {
        decimals = decimals_;
        set(price_, block.timestamp);
    }

    function set(int256 price_, uint256 updatedAt_) public {
        price = price_;
        updatedAt = updatedAt_;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return (1, price, updatedAt, updatedAt, 1);
    }
}
