package io.dedup.kafka.internal;

/** Throws what a handler threw as it is: a listener's signature has no checked exceptions, but a handler may. */
public final class Rethrow {
    private Rethrow() {}

    /** Never returns; the type lets callers write "throw". */
    public static RuntimeException asIs(Throwable thrown) {
        return Rethrow.<RuntimeException>unchecked(thrown);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Throwable> RuntimeException unchecked(Throwable thrown) throws X {
        throw (X) thrown;
    }
}
