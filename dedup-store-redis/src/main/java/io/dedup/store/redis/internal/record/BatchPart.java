package io.dedup.store.redis.internal.record;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A part of a batch that goes into one script call.
 *
 * @param <Q> a request
 * @param common what all its requests share: a lease or a window
 * @param requests at least one
 * @param from the position of the first request; in the batch, or in {@code group}
 * @param group the positions in the batch of all requests with this {@code common}; null if all requests have it
 */
record BatchPart<Q>(
        long common, List<Q> requests, int from, @Nullable List<Integer> group) {
    /** The position in the batch of one of these requests. */
    int position(int index) {
        return group == null ? from + index : group.get(from + index);
    }

    /** Splits a batch into parts of at most {@code max} requests that have {@code common} in common. */
    static <Q> List<BatchPart<Q>> cut(List<Q> requests, ToLongFunction<Q> common, int max) {
        if (requests.isEmpty()) {
            return List.of();
        }
        long first = common.applyAsLong(requests.get(0));
        boolean same = true;
        for (int i = 1; i < requests.size(); i++) {
            same &= common.applyAsLong(requests.get(i)) == first;
        }
        if (same) {
            return cut(first, requests, null, max);
        }
        Map<Long, List<Integer>> groups = new LinkedHashMap<>();
        for (int i = 0; i < requests.size(); i++) {
            groups.computeIfAbsent(common.applyAsLong(requests.get(i)), key -> new ArrayList<>())
                    .add(i);
        }
        List<BatchPart<Q>> parts = new ArrayList<>();
        groups.forEach((value, members) ->
                parts.addAll(cut(value, members.stream().map(requests::get).toList(), members, max)));
        return parts;
    }

    private static <Q> List<BatchPart<Q>> cut(long common, List<Q> requests, @Nullable List<Integer> group, int max) {
        if (requests.size() <= max) {
            return List.of(new BatchPart<>(common, requests, 0, group));
        }
        List<BatchPart<Q>> parts = new ArrayList<>();
        for (int from = 0; from < requests.size(); from += max) {
            int to = Math.min(requests.size(), from + max);
            parts.add(new BatchPart<>(common, requests.subList(from, to), from, group));
        }
        return parts;
    }
}
