package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.listener.ContainerProperties.ShareAckMode;
import org.springframework.kafka.listener.MessageListener;

/** Kafka's share consumer can lose sight of renewals; from then on its polls return nothing. */
class ShareForgottenRenewalTest {
    private final CountDownLatch renewed = new CountDownLatch(1);
    private final AtomicInteger clients = new AtomicInteger();

    @Test
    @DisplayName(
            "K25 a renewal is committed alone: beside other acknowledgments, the client can forget it, and fetch for nobody")
    void committedAlone() {
        runWith(() -> new Client() {
            @Override
            boolean forgets(Set<AcknowledgeType> acknowledgments) {
                return acknowledgments.size() > 1;
            }
        });
        assertThat(clients).hasValue(1);
    }

    @Test
    @DisplayName("K25 a client that has forgotten renewals, because their broker isn't known, is replaced")
    void brokerIsUnknown() {
        runWith(() -> new Client() {
            private final boolean first = clients.get() == 1;

            @Override
            boolean forgets(Set<AcknowledgeType> acknowledgments) {
                return first;
            }
        });
        assertThat(clients).hasValue(2);
    }

    private void runWith(Supplier<Client> client) {
        try (ShareScene group = new ShareScene(new Scene())) {
            group.scene.send("quick", "slow");
            MessageListener<String, String> listener = record -> {
                if (Scene.id(record).equals("slow")) {
                    Uninterrupted.await(renewed);
                }
                group.scene.effects.add(Scene.id(record));
            };
            group.start(group.container(ShareAckMode.EXPLICIT, listener, () -> {
                clients.incrementAndGet();
                return client.get();
            }));
            Uninterrupted.await(renewed);
            group.scene.send("later");
            group.awaitSettled();
            assertThat(group.scene.effects).containsExactly("quick", "slow", "later");
        }
    }

    /** As the real one, but that a commit with renewals may have no outcome. */
    private abstract class Client implements ShareScene.Around {
        private final Set<AcknowledgeType> pending = EnumSet.noneOf(AcknowledgeType.class);
        private boolean waitsForRenewals;

        abstract boolean forgets(Set<AcknowledgeType> acknowledgments);

        @Override
        public @Nullable Object call(ShareConsumer<String, String> real, Method method, Object[] arguments)
                throws Exception {
            if (waitsForRenewals && method.getName().equals("poll")) {
                await().pollDelay((Duration) arguments[0]).until(() -> true);
                return ConsumerRecords.empty();
            }
            if (method.getName().equals("acknowledge")) {
                pending.add(arguments.length == 2 ? (AcknowledgeType) arguments[1] : AcknowledgeType.ACCEPT);
            }
            if (method.getName().startsWith("commit")) {
                boolean renews = pending.contains(AcknowledgeType.RENEW);
                waitsForRenewals |= renews && forgets(pending);
                pending.clear();
                if (renews) {
                    renewed.countDown();
                }
                if (waitsForRenewals) {
                    return method.getReturnType() == void.class ? null : Map.of();
                }
            }
            return method.invoke(real, arguments);
        }
    }
}
