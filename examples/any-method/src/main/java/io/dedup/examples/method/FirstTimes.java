package io.dedup.examples.method;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Makes first attempts fail, to show that a failed one is repeated. */
final class FirstTimes {
    private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

    private FirstTimes() {}

    static boolean isFirst(String attempt) {
        return SEEN.add(attempt);
    }

    static boolean isOver(String attempt) {
        return SEEN.contains(attempt);
    }
}
