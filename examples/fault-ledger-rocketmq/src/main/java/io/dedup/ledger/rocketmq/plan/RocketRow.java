package io.dedup.ledger.rocketmq.plan;

import io.dedup.ledger.plan.Contender;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A kind of consumer with a mode. */
public record RocketRow(ClientKind client, Mode mode) implements Contender {
    /** Every kind of consumer with every mode. */
    public static List<RocketRow> all() {
        return Arrays.stream(ClientKind.values())
                .flatMap(client -> Arrays.stream(Mode.values()).map(mode -> new RocketRow(client, mode)))
                .toList();
    }

    /** @throws IllegalArgumentException when there is none */
    public static RocketRow of(String id) {
        return all().stream()
                .filter(row -> row.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no row " + id + "; there are "
                        + all().stream().map(RocketRow::id).toList()));
    }

    @Override
    public String id() {
        return (client.name() + "-" + mode.name()).toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String title() {
        return client.title() + ": " + mode.title();
    }

    @Override
    public boolean isOurs() {
        return mode != Mode.NONE;
    }

    @Override
    public boolean isExact() {
        return mode.isTransactional();
    }

    @Override
    public boolean forgets() {
        return isOurs() && !mode.isTransactional();
    }

    /** Listeners of the older client cannot see their attempt: the client has no place for it. */
    @Override
    public boolean showsAttempts() {
        return isOurs() && !client.isRemoting();
    }
}
