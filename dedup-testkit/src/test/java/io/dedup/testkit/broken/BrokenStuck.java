package io.dedup.testkit.broken;

import io.dedup.DedupScope;
import io.dedup.LiveLease;
import io.dedup.store.DedupStore;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.operator.StuckQuery;
import io.dedup.store.operator.StuckRecord;
import io.dedup.store.operator.StuckRecords;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The list of what is stuck. */
final class BrokenStuck {
    private BrokenStuck() {}

    static List<BrokenStore> all() {
        return List.of(
                without("what is released", record -> record.record().state() == State.RELEASED),
                without("what is abandoned", record -> record.record().state() == State.ABANDONED),
                without("what is live", record -> record.record().state() == State.PROCESSING),
                without("a second attempt", record -> record.record().attempt() > 1),
                queries("the age doesn't count", query -> with(query, query.scope(), Duration.ZERO)),
                queries(
                        "seconds are taken for milliseconds",
                        query -> with(query, query.scope(), query.olderThan().dividedBy(1_000))),
                queries(
                        "milliseconds are taken for seconds",
                        query -> with(query, query.scope(), query.olderThan().multipliedBy(1_000))),
                queries("the scope doesn't count", query -> with(query, null, query.olderThan())),
                queries(
                        "the topic alone is the scope",
                        query -> query.scope() == null
                                ? query
                                : with(query, DedupScope.of("c", query.scope().topic()), query.olderThan())),
                queries(
                        "the limit doesn't count",
                        query -> new StuckQuery(query.scope(), query.olderThan(), StuckQuery.MAX_LIMIT)),
                answers("it is always complete", all -> new StuckRecords(all.records(), true)),
                answers("it is never complete", all -> new StuckRecords(all.records(), false)),
                answers(
                        "only the first page is looked at",
                        all -> new StuckRecords(
                                all.records()
                                        .subList(0, Math.min(20, all.records().size())),
                                all.complete())),
                answers("a record comes twice", all -> {
                    List<StuckRecord> twice = new ArrayList<>(all.records());
                    all.records().stream().findFirst().ifPresent(twice::add);
                    return new StuckRecords(twice, all.complete());
                }),
                ids("IDs come back without case", id -> id.toLowerCase(Locale.ROOT)),
                ids("IDs come back trimmed", id -> id.strip()),
                ids("IDs come back without U+0000", id -> id.replace("\u0000", "")),
                ids(
                        "IDs come back as Latin 1",
                        id -> new String(id.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.ISO_8859_1)),
                ids("IDs come back from behind their last colon", id -> id.substring(id.lastIndexOf(':') + 1)),
                new BrokenStore("stuck", "listing forgets", s -> new ForwardingStore(s) {
                    @Override
                    public StuckRecords findStuck(StuckQuery query) {
                        StuckRecords all = super.findStuck(query);
                        DedupScope scope = query.scope();
                        if (scope != null) {
                            all.records().forEach(record -> store.forget(record.key(scope), LiveLease.OVERRIDE));
                        }
                        return all;
                    }
                }),
                new BrokenStore("stuck", "it cannot list", s -> new ForwardingStore(s) {
                    @Override
                    public StuckRecords findStuck(StuckQuery query) {
                        throw new UnsupportedOperationException();
                    }
                }));
    }

    private static StuckQuery with(StuckQuery query, @Nullable DedupScope scope, Duration olderThan) {
        return new StuckQuery(scope, olderThan, query.limit());
    }

    private static BrokenStore without(String what, Predicate<StuckRecord> left) {
        return answers(
                what + " is left out",
                all -> new StuckRecords(
                        all.records().stream().filter(left.negate()).toList(), all.complete()));
    }

    private static BrokenStore ids(String name, UnaryOperator<String> change) {
        return answers(
                name,
                all -> new StuckRecords(
                        all.records().stream()
                                .map(record -> new StuckRecord(
                                        record.scope(), orDot(change.apply(record.messageId())), record.record()))
                                .toList(),
                        all.complete()));
    }

    private static String orDot(String id) {
        return id.isBlank() ? "." : id;
    }

    private static BrokenStore queries(String name, UnaryOperator<StuckQuery> change) {
        return new BrokenStore("stuck", name, s -> stuck(s, change, all -> all));
    }

    private static BrokenStore answers(String name, UnaryOperator<StuckRecords> change) {
        return new BrokenStore("stuck", name, s -> stuck(s, query -> query, change));
    }

    private static DedupStore stuck(DedupStore s, UnaryOperator<StuckQuery> query, UnaryOperator<StuckRecords> answer) {
        return new ForwardingStore(s) {
            @Override
            public StuckRecords findStuck(StuckQuery asked) {
                return answer.apply(super.findStuck(query.apply(asked)));
            }
        };
    }
}
