// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Takes a payment for the account that `accountReference` names and passes it on to the treasury at once. It never holds
/// tokens and has no owner. Wallets that no account has linked can pay through it.
contract TrunklineDeposits {
    using SafeERC20 for IERC20;

    IERC20 public immutable token;
    address public immutable treasury;

    /// Emitted right after the token's own Transfer event. `received` is by how much the treasury's balance rose.
    event Deposited(address indexed from, bytes32 indexed accountReference, uint256 received);

    error NothingReceived();

    constructor(IERC20 token_, address treasury_) {
        token = token_;
        treasury = treasury_;
    }

    function deposit(uint256 amount, bytes32 accountReference) public {
        uint256 before = token.balanceOf(treasury);
        token.safeTransferFrom(msg.sender, treasury, amount);
        uint256 balance = token.balanceOf(treasury);
        require(balance > before, NothingReceived());
        emit Deposited(msg.sender, accountReference, balance - before);
    }

    /// Approves by a signature (ERC-2612) and pays in one transaction.
    function depositWithPermit(
        uint256 amount,
        bytes32 accountReference,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        // Anyone may send a permit first. If the approval is there, the payment goes on; if not, it fails.
        try IERC20Permit(address(token)).permit(msg.sender, address(this), amount, deadline, v, r, s) {} catch {}
        deposit(amount, accountReference);
    }
}
