// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// For tests: announces the whole amount in its Transfer event, but burns a tenth of every transfer.
contract FeeToken is ERC20 {
    constructor(uint256 supply) ERC20("Fee", "FEE") {
        _mint(msg.sender, supply);
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (from != address(0) && to != address(0)) super._update(to, address(0), value / 10);
    }
}
