package io.dedup.internal.step;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * Whether this thread is in a transaction of Spring's, of a database or of Kafka. Core doesn't depend on Spring: without it on
 * the class path there is none.
 */
final class SpringTransaction {
    private static final @Nullable MethodHandle IS_ACTIVE = find();

    private SpringTransaction() {}

    private static @Nullable MethodHandle find() {
        try {
            Class<?> manager =
                    Class.forName("org.springframework.transaction.support.TransactionSynchronizationManager");
            return MethodHandles.publicLookup()
                    .findStatic(manager, "isActualTransactionActive", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException | LinkageError e) {
            return null;
        }
    }

    static boolean isActive() {
        try {
            return IS_ACTIVE != null && (boolean) IS_ACTIVE.invokeExact();
        } catch (Throwable e) { // the method only reads a thread's state
            throw new IllegalStateException("cannot find out whether a Spring transaction is active", e);
        }
    }
}
