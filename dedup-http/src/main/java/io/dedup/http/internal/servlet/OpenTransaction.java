package io.dedup.http.internal.servlet;

import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** A transaction of Spring that something in front of a filter has opened on its thread. */
final class OpenTransaction {
    private static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            OpenTransaction.class.getClassLoader());

    private OpenTransaction() {}

    static boolean isOpen() {
        return PRESENT && Present.isOpen();
    }

    /** Loaded only where there are transactions. */
    private static final class Present {
        static boolean isOpen() {
            return TransactionSynchronizationManager.isActualTransactionActive();
        }
    }
}
