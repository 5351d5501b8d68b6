package io.dedup.store.jdbc.internal.dialect;

import io.dedup.store.ReleaseRequest;

/** The numbers of release modes in statements. */
public final class ReleaseNumber {
    private ReleaseNumber() {}

    public static int of(ReleaseRequest request) {
        return switch (request.mode()) {
            case STARTED -> 0;
            case NOT_STARTED -> 1;
            case CONVICTED -> 2;
        };
    }
}
