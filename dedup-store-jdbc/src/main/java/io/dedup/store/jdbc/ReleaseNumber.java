package io.dedup.store.jdbc;

import io.dedup.store.ReleaseRequest;

/** How statements call the modes of a release. */
final class ReleaseNumber {
    private ReleaseNumber() {}

    static int of(ReleaseRequest request) {
        return switch (request.mode()) {
            case STARTED -> 0;
            case NOT_STARTED -> 1;
            case CONVICTED -> 2;
        };
    }
}
