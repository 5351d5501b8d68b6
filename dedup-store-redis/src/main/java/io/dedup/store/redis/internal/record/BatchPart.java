package io.dedup.store.redis.internal.record;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * A part of a batch that goes into one script call.
 *
 * @param <Q> a request
 * @param common what all its requests share: a lease or a window
 * @param requests at least one
 * @param positions of the requests in the batch
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record BatchPart<Q>(long common, List<Q> requests, int[] positions) {
    /** Splits a batch into parts of at most {@code max} requests that have {@code common} in common. */
    static <Q> List<BatchPart<Q>> cut(List<Q> requests, ToLongFunction<Q> common, int max) {
        if (requests.isEmpty()) {
            return List.of();
        }
        long first = common.applyAsLong(requests.get(0));
        boolean same = true;
        for (Q request : requests) {
            same &= common.applyAsLong(request) == first;
        }
        if (same) {
            return cut(first, requests, IntStream.range(0, requests.size()).toArray(), max);
        }
        Map<Long, List<Integer>> groups = new LinkedHashMap<>();
        for (int i = 0; i < requests.size(); i++) {
            groups.computeIfAbsent(common.applyAsLong(requests.get(i)), key -> new ArrayList<>())
                    .add(i);
        }
        List<BatchPart<Q>> parts = new ArrayList<>();
        groups.forEach((value, members) -> {
            int[] positions = members.stream().mapToInt(Integer::intValue).toArray();
            parts.addAll(cut(value, members.stream().map(requests::get).toList(), positions, max));
        });
        return parts;
    }

    private static <Q> List<BatchPart<Q>> cut(long common, List<Q> requests, int[] positions, int max) {
        if (requests.size() <= max) {
            return List.of(new BatchPart<>(common, requests, positions));
        }
        List<BatchPart<Q>> parts = new ArrayList<>();
        for (int from = 0; from < requests.size(); from += max) {
            int to = Math.min(requests.size(), from + max);
            parts.add(new BatchPart<>(
                    common,
                    requests.subList(from, to),
                    IntStream.range(from, to).map(i -> positions[i]).toArray()));
        }
        return parts;
    }
}
