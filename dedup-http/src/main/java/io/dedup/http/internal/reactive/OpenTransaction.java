package io.dedup.http.internal.reactive;

import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;

/** A reactive transaction of Spring that something in front of a filter has opened. */
final class OpenTransaction {
    private static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.transaction.reactive.TransactionSynchronizationManager",
            OpenTransaction.class.getClassLoader());

    private OpenTransaction() {}

    /** Whether the subscriber's context has one. */
    static Mono<Boolean> isOpen() {
        return PRESENT ? Present.isOpen() : Mono.just(false);
    }

    /** Loaded only where there are transactions. */
    private static final class Present {
        static Mono<Boolean> isOpen() {
            return TransactionSynchronizationManager.forCurrentTransaction()
                    .map(TransactionSynchronizationManager::isActualTransactionActive)
                    .onErrorReturn(NoTransactionException.class, false);
        }
    }
}
