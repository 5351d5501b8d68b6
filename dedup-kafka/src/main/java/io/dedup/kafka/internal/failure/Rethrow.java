package io.dedup.kafka.internal.failure;

/** Throws a handler's exception unchanged, checked or not. */
public final class Rethrow {
    private Rethrow() {}

    /** Never returns; the return type lets callers write "throw". */
    public static RuntimeException asIs(Throwable thrown) {
        return Rethrow.<RuntimeException>unchecked(thrown);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Throwable> RuntimeException unchecked(Throwable thrown) throws X {
        throw (X) thrown;
    }
}
