package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.catchThrowable;

import io.dedup.spring.boot.DedupConfigurationException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What a refused start says. */
final class Refusals {
    private Refusals() {}

    /** The problem and what to do about it; empty where the start isn't refused. */
    static String of(ThrowingCallable start) {
        for (Throwable each = catchThrowable(start); each != null; each = each.getCause()) {
            if (each instanceof DedupConfigurationException refusal) {
                return refusal.getMessage() + " " + refusal.action();
            }
        }
        return "";
    }
}
