// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// For tests: a transfer that moves nothing, returns false and yet emits a Transfer event.
contract FalseToken {
    uint8 public constant decimals = 18;
    string public constant symbol = "FALSE";

    event Transfer(address indexed from, address indexed to, uint256 value);

    function balanceOf(address) external pure returns (uint256) {
        return 0;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        emit Transfer(msg.sender, to, value);
        return false;
    }
}
