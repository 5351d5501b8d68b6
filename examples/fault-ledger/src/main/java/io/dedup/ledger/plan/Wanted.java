package io.dedup.ledger.plan;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What isn't left to the seed: circumstances, and share groups. Rows whose mode doesn't support it are drawn as otherwise.
 *
 * @param shareGroup whether every row that can be in a share group is in one
 * @param circumstances that every row has, if any of its shapes can have them together
 */
public record Wanted(boolean shareGroup, Set<Circumstance> circumstances) {
    /** Everything is drawn. */
    public static final Wanted NOTHING = new Wanted(false, Set.of());

    private static final String SHARE_GROUP =
            Shape.SHARE_GROUP.name().toLowerCase(Locale.ROOT).replace('_', '-');
    private static final int SHARE_GROUP_IN = 8;

    /** @throws IllegalArgumentException when a word is neither a circumstance nor {@code share-group} */
    static Wanted of(String words) {
        List<String> all = Arrays.stream(words.split(",", -1))
                .filter(word -> !word.isEmpty() && !word.equals("none"))
                .toList();
        return new Wanted(
                all.contains(SHARE_GROUP),
                all.stream()
                        .filter(word -> !word.equals(SHARE_GROUP))
                        .map(Circumstance::of)
                        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Circumstance.class))));
    }

    /** The drawn shape, or another one that can have what is wanted. */
    Shape shape(Row row, Shape drawn, Random random) {
        List<Shape> all = row.shapes();
        boolean shared = random.nextInt(SHARE_GROUP_IN) == 1;
        if (!row.mode().orElseThrow().isTransactional() && (shareGroup || (shared && circumstances.isEmpty()))) {
            return Shape.SHARE_GROUP;
        }
        List<Shape> able = all.stream().filter(shape -> hasAll(row, shape)).toList();
        return able.isEmpty() || able.contains(drawn) ? drawn : able.get(random.nextInt(able.size()));
    }

    private boolean hasAll(Row row, Shape shape) {
        return circumstances.stream().allMatch(each -> each.isPossible(row, shape));
    }

    boolean has(Circumstance circumstance, Row row, Shape shape) {
        return circumstances.contains(circumstance) && hasAll(row, shape);
    }
}
