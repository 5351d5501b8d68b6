package io.dedup.policy;

import java.time.Duration;

/** Checks that a policy's settings can be combined with its mode. */
final class ModeRules {
    private ModeRules() {}

    /**
     * Rejects settings that cannot be combined with the mode.
     *
     * @param mode as configured, also in shadow mode
     */
    static void check(DedupMode mode, DedupPolicy policy) {
        checkSpan(mode, policy);
        if (!mode.isTransactional()) {
            return;
        }
        SettingNames names = policy.settingNames();
        if (policy.steps()) {
            throw new IllegalArgumentException("steps cannot be used in mode " + names.value(mode)
                    + ": a rollback would undo what a step wrote in the handler's transaction, and the next attempt would skip"
                    + " it. Set mode to " + names.value(DedupMode.LEASED)
                    + ", or remove steps and call other services with stepKey(...) or from an outbox");
        }
        if (policy.onStoreFailure() == OnStoreFailure.PROCESS) {
            throw new IllegalArgumentException(names.name("onStoreFailure") + " " + names.value(OnStoreFailure.PROCESS)
                    + " cannot be combined with mode " + names.value(mode)
                    + ": it runs handlers without a record, and this mode commits a record with every effect. Set "
                    + names.name("onStoreFailure") + " to " + names.value(OnStoreFailure.RETRY) + " or "
                    + names.value(OnStoreFailure.PAUSE) + ", or mode to " + names.value(DedupMode.LEASED));
        }
        if (mode == DedupMode.TRANSACTIONAL && policy.maxDeaths() > 0) {
            throw new IllegalArgumentException(names.name("maxDeaths") + " (" + policy.maxDeaths()
                    + ") is not available in mode " + names.value(mode)
                    + ", because a rollback also undoes the count of attempts. Set " + names.name("maxDeaths")
                    + " to 0, or use mode " + names.value(DedupMode.LEASED_TRANSACTIONAL) + " or "
                    + names.value(DedupMode.TIERED));
        }
        Duration window = policy.window().duration();
        Duration timeout = policy.maxProcessingTime();
        if (mode != DedupMode.LEASED_TRANSACTIONAL && window != null && window.compareTo(timeout) <= 0) {
            throw new IllegalArgumentException("window (" + names.value(window) + ") must be longer than "
                    + names.name("maxProcessingTime") + " (" + names.value(timeout) + ") in mode " + names.value(mode)
                    + ": the window starts at the claim and could end before the transaction commits. Raise window or"
                    + " lower " + names.name("maxProcessingTime"));
        }
    }

    private static void checkSpan(DedupMode mode, DedupPolicy policy) {
        if (policy.transaction() == TransactionSpan.RECORD) {
            return;
        }
        SettingNames names = policy.settingNames();
        if (mode != DedupMode.TRANSACTIONAL) {
            throw new IllegalArgumentException("transaction " + names.value(TransactionSpan.POLL)
                    + " is not available in mode " + names.value(mode) + ". Set mode to "
                    + names.value(DedupMode.TRANSACTIONAL) + ", or transaction to "
                    + names.value(TransactionSpan.RECORD));
        }
        if (policy.transactionMaxTime().compareTo(policy.maxProcessingTime()) >= 0) {
            throw new IllegalArgumentException(names.name("transactionMaxTime") + " ("
                    + names.value(policy.transactionMaxTime()) + ") must be shorter than "
                    + names.name("maxProcessingTime") + " (" + names.value(policy.maxProcessingTime())
                    + "), which is the timeout of the transaction. Lower " + names.name("transactionMaxTime")
                    + " or raise " + names.name("maxProcessingTime"));
        }
    }
}
