package io.dedup.examples.stream;

import static io.dedup.examples.stream.Shop.SOON;
import static io.dedup.examples.stream.TestFunctions.CLAIMS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.spring.boot.CallDeferredException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.integration.IntegrationMessageHeaderAccessor;
import org.springframework.integration.acks.AcknowledgmentCallback;
import org.springframework.integration.channel.PublishSubscribeChannel;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;

/** Flows of Spring Integration. */
@TestInstance(Lifecycle.PER_CLASS)
class IntegrationTest {
    private Shop shop = Shop.shared();

    @BeforeAll
    void start() {
        shop = Shop.shared();
    }

    private void mail(String text, String id) {
        shop.context
                .getBean("mail", MessageChannel.class)
                .send(MessageBuilder.withPayload(text).setHeader("mailId", id).build());
    }

    @Test
    @DisplayName(
            "an inbound adapter for Kafka: messages that are sent twice take effect once, in the database's transaction")
    void inboundAdapter() {
        shop.send("invoices", 0, null, "invoice 1", "invoice-id", "1");
        shop.send("invoices", 0, null, "invoice 1 again", "invoice-id", "1");
        shop.send("invoices", 0, null, "invoice 2", "invoice-id", "2");
        await().atMost(SOON).until(() -> shop.rows("invoice").contains("invoice 2"));
        assertThat(shop.rows("invoice")).contains("invoice 1").doesNotContain("invoice 1 again");
    }

    @Test
    @DisplayName("an inbound adapter with a filter: what its error channel takes isn't done, what its filter drops is")
    void filteringAdapter() {
        shop.send("claims", 0, null, "garbage", "claim-id", "1");
        await().atMost(SOON).until(() -> CLAIMS.count("error") == 1);
        shop.send("claims", 0, null, "claim 1", "claim-id", "1");
        shop.send("claims", 0, null, "doom 2", "claim-id", "2");
        shop.send("claims", 0, null, "claim 2", "claim-id", "2");
        shop.send("claims", 0, null, "drop 3", "claim-id", "3");
        shop.send("claims", 0, null, "claim 3", "claim-id", "3");
        shop.send("claims", 0, null, "claim 4", "claim-id", "4");
        await().atMost(SOON).until(() -> CLAIMS.count("claim 4") == 1);
        assertThat(CLAIMS.count("claim 1")).isEqualTo(1);
        assertThat(CLAIMS.count("doom 2")).isEqualTo(1);
        assertThat(CLAIMS.count("claim 2")).isEqualTo(1);
        assertThat(CLAIMS.count("drop 3")).isZero();
        assertThat(CLAIMS.count("claim 3")).isZero();
    }

    @Test
    @DisplayName("an advice: a duplicate never reaches the handler, and goes to the discard channel")
    void advice() {
        List<Object> discarded = Collections.synchronizedList(new ArrayList<>());
        shop.context
                .getBean("duplicates", PublishSubscribeChannel.class)
                .subscribe((Message<?> message) -> discarded.add(message.getPayload()));
        mail("once", "m1");
        mail("twice", "m1");
        assertThat(shop.rows("mail")).containsOnlyOnce("m1");
        assertThat(discarded).containsExactly("twice");
    }

    @Test
    @DisplayName("an advice: if the handler fails, its transaction is rolled back, and the message isn't a duplicate")
    void adviceFails() {
        assertThatThrownBy(() -> mail("bounce", "m2")).hasRootCauseInstanceOf(IllegalStateException.class);
        assertThat(shop.rows("mail")).doesNotContain("m2");
        mail("again", "m2");
        assertThat(shop.rows("mail")).containsOnlyOnce("m2");
    }

    @Test
    @DisplayName("an advice: while the ID is being handled elsewhere, the sender gets a deferral")
    void adviceDefers() throws Exception {
        CompletableFuture<Void> first = CompletableFuture.runAsync(() -> slow("wait", "s1"));
        await().atMost(SOON).until(() -> TestFunctions.SLOW.count("wait") == 1);
        assertThatThrownBy(() -> slow("a copy", "s1"))
                .satisfies(thrown -> assertThat(root(thrown)).isInstanceOf(CallDeferredException.class));
        TestFunctions.SLOW.open("wait");
        first.get(30, TimeUnit.SECONDS);
        slow("a later copy", "s1");
        assertThat(TestFunctions.SLOW.count("a copy") + TestFunctions.SLOW.count("a later copy"))
                .isZero();
    }

    @Test
    @DisplayName(
            "an advice: a duplicate that is dropped is acknowledged for the handler, which would have done it itself")
    void adviceAcknowledges() {
        List<AcknowledgmentCallback.Status> acknowledged = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 2; i++) {
            shop.context
                    .getBean("slow", MessageChannel.class)
                    .send(MessageBuilder.withPayload("acknowledged")
                            .setHeader("id2", "a1")
                            .setHeader(
                                    IntegrationMessageHeaderAccessor.ACKNOWLEDGMENT_CALLBACK,
                                    new AcknowledgmentCallback() {
                                        @Override
                                        public void acknowledge(Status status) {
                                            acknowledged.add(status);
                                        }

                                        @Override
                                        public boolean isAutoAck() {
                                            return false;
                                        }
                                    })
                            .build());
        }
        assertThat(acknowledged).containsExactly(AcknowledgmentCallback.Status.ACCEPT); // of the duplicate
    }

    private static Throwable root(Throwable thrown) {
        Throwable each = thrown;
        while (each.getCause() != null) {
            each = each.getCause();
        }
        return each;
    }

    private void slow(String text, String id) {
        shop.context
                .getBean("slow", MessageChannel.class)
                .send(MessageBuilder.withPayload(text).setHeader("id2", id).build());
    }
}
