package io.dedup.kafka.internal;

/** Throws what a handler threw as it is: a listener's signature has no checked exceptions, but a handler may. */
public final class Sneaky {
    private Sneaky() {}

    /** Never returns; the type lets callers write "throw". */
    public static RuntimeException rethrow(Throwable thrown) {
        return Sneaky.<RuntimeException>as(thrown);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Throwable> RuntimeException as(Throwable thrown) throws X {
        throw (X) thrown;
    }
}
