// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// For tests: a wallet that is a contract. Its owner signs for it (ERC-1271) and lets it call others, several at a time.
contract ContractWallet {
    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecoverCalldata(hash, signature);
        return problem == ECDSA.RecoverError.NoError && signer == owner ? this.isValidSignature.selector : bytes4(0xffffffff);
    }

    function run(address[] calldata targets, bytes[] calldata calls) external {
        require(msg.sender == owner, "only the owner");
        for (uint256 i = 0; i < targets.length; i++) {
            (bool succeeded, ) = targets[i].call(calls[i]);
            require(succeeded, "a call failed");
        }
    }
}
