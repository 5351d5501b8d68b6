package io.dedup.adapter;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * A transaction of Spring's, of a database or of Kafka, that a caller has opened on this thread. A handler's effect would join
 * it and go with it if it is rolled back, but what dedup records beside it stays: the message would be lost.
 *
 * <p>Core doesn't depend on Spring: without it on the class path there is none.
 */
public final class CallersTransaction {
    private static final @Nullable MethodHandle IS_ACTIVE = find();

    private CallersTransaction() {}

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

    /** Whether this thread is in a transaction. */
    public static boolean isOpen() {
        try {
            return IS_ACTIVE != null && (boolean) IS_ACTIVE.invokeExact();
        } catch (Throwable e) { // the method only reads a thread's state
            throw new IllegalStateException("cannot find out whether a Spring transaction is active", e);
        }
    }

    /**
     * What is thrown instead of a claim whose success would be recorded outside of the transaction.
     *
     * @param call what was called, without a full stop
     * @param instead what to do instead, as a sentence of its own without a full stop
     */
    public static IllegalStateException refusal(String call, String instead) {
        return new IllegalStateException(call
                + " in an open transaction. If that were rolled back, the effect would be gone, but recorded as done. "
                + instead);
    }
}
