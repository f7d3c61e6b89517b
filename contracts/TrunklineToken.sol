// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// A token that pays for credits. The whole supply is minted once, to `holder`; there is no owner, and nothing can be
/// paused, frozen or minted later. Holders may sign approvals (ERC-2612) and transfers (ERC-3009) for others to send.
contract TrunklineToken is ERC20Permit, ERC3009 {
    uint8 private immutable _decimals;

    constructor(string memory name, string memory symbol, uint8 decimals_, uint256 supply, address holder)
        ERC20(name, symbol)
        ERC20Permit(name)
    {
        _decimals = decimals_;
        _mint(holder, supply);
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    /// The same as ERC-3009's function for a signature of any length, so that contract wallets can sign too (ERC-1271).
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        bytes32 hash = _hashTypedDataV4(
            keccak256(abi.encode(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce))
        );
        require(SignatureChecker.isValidSignatureNowCalldata(from, hash, signature), ERC3009InvalidSignature());
        _transferWithAuthorization(from, to, value, validAfter, validBefore, nonce);
    }
}
