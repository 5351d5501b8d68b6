package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.QueueMessageOrigin;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.WaitBudget;
import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.DuplicateDetails;
import io.dedup.duplicate.MessagePlace;
import io.dedup.internal.listener.ResendLog;
import io.dedup.logged.OwnLines;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

@DisplayName("Why a message is a duplicate")
class ExplainedTest extends TransactionalTestBase {
    private static final int A = 1;
    private static final int B = 2;

    private final List<String> explained = new CopyOnWriteArrayList<>();
    private final DedupListener listener = new DedupListener() {
        @Override
        public void explained(DedupKey key, DuplicateDetails details) {
            explained.add(key.messageId() + " " + details.cause().tag() + ", first " + details.first()
                    + (details.shadow() ? ", shadow" : ""));
        }
    };

    private Deduplicator explaining(DedupMode mode, UnaryOperator<DedupPolicy.Builder> more) {
        records = mode == DedupMode.LEASED_TRANSACTIONAL ? shared : apart;
        return deduplicator(
                store,
                policy -> more.apply(policy.mode(mode).explainDuplicates(true)),
                builder -> (mode.isTransactional() ? builder.transactions(records) : builder).listener(listener));
    }

    private static Delivery delivery(Deduplicator dedup, int message) {
        MessagePlace place = new MessagePlace("3", message, message, -1);
        return Delivery.of(
                dedup.topic(TOPIC),
                "id",
                null,
                QueueMessageOrigin.of(() -> "message " + message, place, null, first -> DuplicateCause.REDELIVERED));
    }

    private static Admission deliver(Deduplicator dedup, int message) {
        DedupAdapter adapter = DedupAdapter.of(dedup);
        Admission admission = adapter.admit(delivery(dedup, message), WaitBudget.none());
        if (!(admission instanceof Admission.Run run)) {
            return admission;
        }
        RunEnd end = adapter.run(run.execution(), context -> null, WaitBudget.none());
        return end instanceof RunEnd.NotHandled notHandled ? notHandled.admission() : admission;
    }

    @ParameterizedTest
    @EnumSource(DedupMode.class)
    @DisplayName("is known in every mode that needs no other statement for it")
    void inEveryMode(DedupMode mode) {
        Deduplicator dedup = explaining(mode, policy -> policy);
        assertThat(deliver(dedup, A)).isInstanceOf(Admission.Run.class);
        if (mode.isTransactional()) {
            assertThat(records.calls()).noneMatch(call -> String.valueOf(call).contains("keepResult"));
        }
        assertThat(deliver(dedup, A)).isInstanceOf(Admission.Duplicate.class);
        assertThat(deliver(dedup, B)).isInstanceOf(Admission.Duplicate.class);
        if (mode == DedupMode.TRANSACTIONAL) {
            assertThat(explained).containsExactly("id unknown, first null", "id unknown, first null");
        } else {
            assertThat(explained).containsExactly("id redelivered, first 3@1", "id resent, first 3@1");
        }
    }

    @Test
    @DisplayName("concurrent: only if the run that a copy waited for was the one that handled the message")
    void concurrent() {
        Deduplicator dedup = explaining(DedupMode.LEASED, policy -> policy);
        Execution first =
                ((Admission.Run) DedupAdapter.of(dedup).admit(delivery(dedup, A), WaitBudget.none())).execution();
        first.begin();
        assertThat(deliver(dedup, B)).isInstanceOf(Admission.Defer.class);
        first.fail(new IllegalStateException("no"));
        assertThat(deliver(dedup, B)).isInstanceOf(Admission.Run.class);
        assertThat(deliver(dedup, B)).isInstanceOf(Admission.Duplicate.class);
        assertThat(explained).containsExactly("id redelivered, first 3@2");
    }

    @Test
    @DisplayName("concurrent: before anything else that is known, and only once")
    void concurrentOnce() {
        Deduplicator dedup = explaining(DedupMode.LEASED, policy -> policy);
        Execution first =
                ((Admission.Run) DedupAdapter.of(dedup).admit(delivery(dedup, A), WaitBudget.none())).execution();
        first.begin();
        assertThat(deliver(dedup, B)).isInstanceOf(Admission.Defer.class);
        assertThat(deliver(dedup, B)).isInstanceOf(Admission.Defer.class);
        first.succeed(null, WaitBudget.none());
        deliver(dedup, B);
        deliver(dedup, B);
        assertThat(explained).containsExactly("id concurrent, first 3@1", "id resent, first 3@1");
    }

    @Test
    @DisplayName("in shadow mode and in a batch, too; without places, nothing is guessed")
    void elsewhere() {
        Deduplicator shadow = explaining(DedupMode.LEASED, policy -> policy.shadow(true));
        deliver(shadow, A);
        deliver(shadow, A);
        deliver(shadow, B);
        assertThat(explained).containsExactly("id redelivered, first 3@1, shadow", "id resent, first 3@1, shadow");
        explained.clear();

        Deduplicator dedup = explaining(DedupMode.LEASED, policy -> policy);
        var batch = DedupAdapter.of(dedup)
                .admitAll(List.of(delivery(dedup, A), delivery(dedup, B), delivery(dedup, A)), WaitBudget.none());
        assertThat(batch.admissions()).hasSize(3);
        assertThat(explained).containsExactly("id resent, first 3@1", "id redelivered, first 3@1");
        explained.clear();

        dedup.execute(key("b"), context -> "effect");
        dedup.execute(key("b"), context -> "must not run");
        assertThat(explained).containsExactly("b unknown, first null");
    }

    @Test
    @DisplayName("a resent message is logged once an hour and topic, escaped and cut")
    void resendLog() {
        AtomicLong nanos = new AtomicLong();
        Logger logger = (Logger) LoggerFactory.getLogger(ResendLog.class);
        logger.setLevel(Level.INFO);
        ResendLog resends = new ResendLog(logger, nanos::get);
        DuplicateDetails details = new DuplicateDetails(
                DuplicateCause.RESENT,
                Instant.EPOCH,
                new MessagePlace("0", 1, 1, -1),
                new MessagePlace("0\n", 2, 1, -1),
                "shop\n7",
                false);
        try (OwnLines lines = OwnLines.of(ResendLog.class)) {
            resends.explained(key("o\n17" + "x".repeat(200)), details);
            resends.explained(key("b"), details);
            nanos.addAndGet(TimeUnit.HOURS.toNanos(1) - 1);
            resends.explained(key("c"), details);
            assertThat(lines.events()).hasSize(1);
            assertThat(lines.events().get(0).getFormattedMessage())
                    .contains("\"o\\u000a17", "first at 0@1 (handled at 1970-01-01T00:00:00Z), again at 0\\u000a@2")
                    .hasSizeLessThan(500)
                    .doesNotContain("\n");
            nanos.addAndGet(1);
            resends.explained(key("d"), details);
            assertThat(lines.events()).hasSize(2);
        }
    }
}
