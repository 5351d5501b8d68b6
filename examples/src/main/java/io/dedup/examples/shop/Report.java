package io.dedup.examples.shop;

import io.dedup.examples.shop.PaymentTable.Totals;
import java.util.Locale;
import java.util.Map;

/** The table at the end of an example. */
public final class Report {
    private Report() {}

    /** Prints it. True when every order took effect once, and every delivery is accounted for. */
    public static boolean print(Progress progress, Counts counts, OrderEvents events, Totals totals) {
        Map<String, Long> expected = events.centsByOrder();
        long cents = expected.values().stream().mapToLong(Long::longValue).sum();
        boolean right =
                totals.effects() == expected.size() && totals.orders() == expected.size() && totals.cents() == cents;
        // The killed delivery was neither handled, nor a duplicate, nor deferred.
        long killed = counts.of("HANGS");
        boolean accounted = counts.of("DELIVERED")
                == counts.of("HANDLED") + counts.of("DUPLICATE") + counts.of("DEFERRED") + killed;
        System.out.printf(
                Locale.ROOT,
                """

                  delivered                       %,9d
                  handled                         %,9d
                  duplicates acked                %,9d
                  in flight deferred              %,9d
                  killed before the effect        %,9d
                  effects in the business table   %,9d   (%,d orders, %,.2f EUR)
                  expected effects                %,9d   (%,d orders, %,.2f EUR)

                """,
                counts.of("DELIVERED"),
                counts.of("HANDLED"),
                counts.of("DUPLICATE"),
                counts.of("DEFERRED"),
                killed,
                totals.effects(),
                totals.orders(),
                totals.cents() / 100.0,
                expected.size(),
                expected.size(),
                cents / 100.0);
        progress.say(
                right ? "every order took effect once" : "WRONG: the business table differs from what was ordered");
        if (!accounted) {
            progress.say("WRONG: some deliveries are unaccounted for");
        }
        return right && accounted;
    }
}
