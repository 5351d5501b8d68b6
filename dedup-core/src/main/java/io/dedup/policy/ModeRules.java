package io.dedup.policy;

import java.time.Duration;

/** Which settings don't go with a mode. */
final class ModeRules {
    private ModeRules() {}

    /**
     * Refuses settings of one policy that don't go with its mode.
     *
     * @param mode as it is set, also in shadow mode
     */
    static void check(DedupMode mode, DedupPolicy policy) {
        if (!mode.isTransactional()) {
            return;
        }
        SettingNames names = policy.settingNames();
        if (policy.onStoreFailure() == OnStoreFailure.PROCESS) {
            throw new IllegalArgumentException(names.name("onStoreFailure") + " " + names.value(OnStoreFailure.PROCESS)
                    + " runs handlers without a record, which mode " + names.value(mode)
                    + " promises to commit with the effect: use " + names.value(OnStoreFailure.RETRY) + " or "
                    + names.value(OnStoreFailure.PAUSE) + ", or mode " + names.value(DedupMode.LEASED));
        }
        if (mode == DedupMode.TRANSACTIONAL && policy.maxDeaths() > 0) {
            throw new IllegalArgumentException(names.name("maxDeaths") + " (" + policy.maxDeaths()
                    + ") isn't available in mode " + names.value(mode)
                    + ", where a rollback forgets the attempt: set it to 0, or use mode "
                    + names.value(DedupMode.LEASED_TRANSACTIONAL) + " or " + names.value(DedupMode.TIERED));
        }
        Duration window = policy.window().duration();
        Duration timeout = policy.maxProcessingTime();
        if (mode != DedupMode.LEASED_TRANSACTIONAL && window != null && window.compareTo(timeout) <= 0) {
            throw new IllegalArgumentException("window (" + names.value(window) + ") must be longer than "
                    + names.name("maxProcessingTime") + " (" + names.value(timeout) + ") in mode " + names.value(mode)
                    + ", where it counts from the claim: it could be over before the transaction commits. Raise the one"
                    + " or lower the other");
        }
    }
}
