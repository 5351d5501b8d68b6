package io.dedup.ledger.plan;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The circumstances of a row's consumers.
 *
 * @param staticMembers whether members have a {@code group.instance.id}, which outlives their process
 * @param threads consumers in each process
 * @param partitions of the topic; the same for all rows of a pass
 * @param tripMillis what the network adds to each round trip to a store
 * @param maxPollRecords of a consumer
 * @param circumstances what is unusual about them
 */
public record Combination(
        Membership membership,
        boolean staticMembers,
        Shape shape,
        int threads,
        int partitions,
        int tripMillis,
        int maxPollRecords,
        Set<Circumstance> circumstances) {
    private static final int PLAIN_PARTITIONS = 4;
    private static final int PLAIN_POLL = 20;
    private static final List<Integer> PARTITIONS = List.of(4, 6, 12);
    private static final List<Integer> TRIPS = List.of(0, 0, 3, 10, 30);
    private static final List<Integer> POLLS = List.of(1, 5, 20, 200);
    private static final int MAX_THREADS = 3;
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /** Records, one consumer a process, the default ack mode, stores close by. */
    public static Combination plain(long seed, Row row) {
        return new Combination(
                Membership.of(seed, row), false, Shape.RECORD, 1, PLAIN_PARTITIONS, 0, PLAIN_POLL, Set.of());
    }

    /**
     * Draws a combination that dedup supports in a row's mode; other schemes get the plain one, with the drawn
     * partitions.
     *
     * @param wanted what is chosen instead of drawn
     */
    public static Combination drawn(long seed, Row row, Wanted wanted) {
        int partitions = pick(PARTITIONS, new Random(seed * SPREAD));
        Random random = new Random(seed * SPREAD + row.id().hashCode());
        Combination plain = plain(seed, row);
        if (row.mode().isEmpty() || row.effects() > 1) {
            return new Combination(
                    plain.membership,
                    false,
                    plain.shape,
                    1,
                    partitions,
                    plain.tripMillis,
                    plain.maxPollRecords,
                    Set.of());
        }
        Shape shape = wanted.shape(
                row,
                pick(row.shapes(), random),
                new Random(seed * SPREAD + row.id().hashCode() + 1));
        // The containers of retry topics would share one instance ID; share groups have none.
        boolean staticMembers = random.nextInt(3) == 0 && shape != Shape.RETRY_TOPIC && shape != Shape.SHARE_GROUP;
        return new Combination(
                pick(List.of(Membership.values()), random),
                staticMembers,
                shape,
                1 + random.nextInt(MAX_THREADS),
                partitions,
                pick(TRIPS, random),
                pick(POLLS, random),
                Arrays.stream(Circumstance.values())
                        .filter(each -> each.isDrawn(random, row, shape) || wanted.has(each, row, shape))
                        .collect(Collectors.toUnmodifiableSet()));
    }

    public boolean has(Circumstance circumstance) {
        return circumstances.contains(circumstance);
    }

    private static <T> T pick(List<T> values, Random random) {
        return values.get(random.nextInt(values.size()));
    }

    /** A word for each dimension, for readers. */
    public String text() {
        return String.join(
                " ",
                name(membership),
                staticMembers ? "static" : "dynamic",
                name(shape),
                "threads=" + threads,
                "partitions=" + partitions,
                "trip=" + tripMillis + "ms",
                "poll=" + maxPollRecords
                        + circumstances.stream()
                                .sorted()
                                .map(each -> " " + each.text())
                                .collect(Collectors.joining()));
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What the network adds in each direction. */
    public Duration delay() {
        return Duration.ofMillis(tripMillis).dividedBy(2);
    }
}
