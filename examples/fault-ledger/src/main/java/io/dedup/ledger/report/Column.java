package io.dedup.ledger.report;

import io.dedup.ledger.tally.RowResult;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.function.Function;

/** A number that is said of a row; in this order. */
enum Column {
    MESSAGES("messages", result -> result.size().messages()),
    EXPECTED("expected", RowResult::expected),
    EFFECTS("effects", RowResult::effects),
    LOST("lost", RowResult::lost),
    DOUBLED("doubled", RowResult::doubled),
    RECOGNISABLE("attempt > 1", RowResult::recognizable),
    FIRST_WARNED("first with attempt > 1", RowResult::firstWarned),
    AFTER_LOSS("doubled after data loss", RowResult::afterLoss),
    STUCK("stuck", RowResult::stuck),
    DEAD_LETTERED("given up", RowResult::deadLettered),
    P50("p50 ms", RowResult::p50),
    P99("p99 ms", RowResult::p99),
    ROUND_TRIPS("round trips", result -> BigDecimal.valueOf(result.roundTrips()).setScale(1, RoundingMode.HALF_UP));

    private final String title;

    @SuppressWarnings("ImmutableEnumChecker") // functions of a record, all of them
    private final Function<RowResult, Number> value;

    Column(String title, Function<RowResult, Number> value) {
        this.title = title;
        this.value = value;
    }

    String title() {
        return title;
    }

    /** As a name in a file. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    Number of(RowResult result) {
        return value.apply(result);
    }

    /** Whether there is something wrong; a report marks it. */
    boolean isBad(RowResult result) {
        return switch (this) {
            case LOST, DOUBLED, STUCK, DEAD_LETTERED, AFTER_LOSS -> of(result).longValue() != 0;
            default -> false;
        };
    }
}
