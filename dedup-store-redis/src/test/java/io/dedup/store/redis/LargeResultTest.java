package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupCall;
import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.ResultCodec;
import io.dedup.engine.Deduplicators;
import io.dedup.store.StoredRecord.State;
import io.dedup.testservers.redis.RedisServer;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;

/** Results that a policy permits and the server doesn't: its {@code proto-max-bulk-len} is 1 MiB here, 512 MiB by default. */
class LargeResultTest {
    private final List<String> notKept = new CopyOnWriteArrayList<>();

    @OnEachVersion
    @DisplayName(
            "S15 a result that the server doesn't take isn't kept; the message and its neighbours are done, and run once")
    void beyondTheServersLimit(RedisVersion version) {
        try (RedisServer server = version.server().start();
                RedisDedupStore store =
                        Stores.builder().uri(RedisURI.create(server.uri())).build();
                Deduplicator dedup = Deduplicators.builder(store)
                        .consumer("c")
                        .topic(
                                "t",
                                policy -> policy.maxResultBytes(4 << 20)
                                        .lease(Duration.ofSeconds(5))
                                        .inFlightWait(Duration.ZERO))
                        .listener(new DedupListener() {
                            @Override
                            public void resultNotKept(DedupKey key, int bytes) {
                                notKept.add(key.messageId());
                            }
                        })
                        .build()) {
            server.command("CONFIG", "SET", "proto-max-bulk-len", "1048576");
            List<String> runs = new ArrayList<>();
            String big = "x".repeat(2 << 20);

            for (String id : List.of("a", "big", "b")) {
                DedupCall<String> call =
                        DedupCall.<String>of(dedup.key("t", id)).withResult(ResultCodec.utf8());
                // The server ends the connection over the large one, and a claim may come before the next connection.
                await().until(() -> dedup.execute(call, context -> {
                            runs.add(id);
                            return id.equals("big") ? big : "small";
                        })
                        instanceof DedupOutcome.Handled);
            }

            for (String id : List.of("a", "big", "b")) {
                await().ignoreExceptions()
                        .until(() ->
                                store.find(dedup.key("t", id)).orElseThrow().state() == State.DONE);
                assertThat(dedup.execute(dedup.key("t", id), context -> "must not run"))
                        .isInstanceOf(DedupOutcome.Duplicate.class);
            }
            assertThat(notKept).contains("big");
            assertThat(runs).containsExactly("a", "big", "b");
        }
    }
}
