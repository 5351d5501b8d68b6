package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.engine.Deduplicators;
import io.dedup.privacy.IdHashing;
import io.dedup.support.DeduplicatorTestBase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DedupContextsTest extends DeduplicatorTestBase {
    private final DedupContexts contexts = Deduplicators.contexts();
    private final List<String> effects = new ArrayList<>();

    private Deduplicator serving() {
        return deduplicator(store, policy -> policy, builder -> builder.contexts(contexts));
    }

    // docs:begin further-down
    /** Code further down, that knows no context. */
    private void mail() {
        contexts.current().step("mail", () -> effects.add("mail"));
    }
    // docs:end

    private void assertNoneHere() {
        assertThatIllegalStateException()
                .isThrownBy(contexts::current)
                .withMessageContaining("this thread does not handle a message now");
    }

    @Test
    @DisplayName("code further down finds the context of its handler, and its step is kept")
    void furtherDown() {
        Deduplicator dedup = serving();
        assertThatThrownBy(() -> dedup.execute(key("a"), context -> {
                    assertThat(contexts.current()).isSameAs(context);
                    mail();
                    throw new IllegalStateException("broken");
                }))
                .hasMessage("broken");
        assertNoneHere();
        dedup.execute(key("a"), context -> {
            mail();
            return null;
        });

        assertThat(effects).containsExactly("mail");
        assertNoneHere();
    }

    @Test
    @DisplayName("in a handler that calls a deduplicator, the inner run counts until it ends")
    void nested() {
        Deduplicator dedup = serving();
        dedup.execute(key("a"), outer -> {
            dedup.execute(key("b"), inner -> {
                assertThat(contexts.current()).isSameAs(inner);
                assertThatIllegalStateException().isThrownBy(() -> contexts.current("a"));
                return null;
            });
            assertThat(contexts.current()).isSameAs(outer);
            return null;
        });
    }

    @Test
    @DisplayName("a batch has a context for each of its messages, found by its ID")
    void batch() {
        Deduplicator dedup = deduplicator(
                store, policy -> policy, builder -> builder.contexts(contexts).idHashing(IdHashing.of(new byte[32])));
        dedup.executeAll(List.of("a", "b"), id -> dedup.key(TOPIC, id), items -> {
            assertThatIllegalStateException()
                    .isThrownBy(contexts::current)
                    .withMessageContaining("a batch of 2 messages")
                    .withMessageContaining("current(messageId)");
            assertThat(contexts.current("a")).isSameAs(items.get(0).context());
            assertThat(contexts.current("b")).isSameAs(items.get(1).context());
            assertThatIllegalStateException()
                    .isThrownBy(() -> contexts.current("c"))
                    .withMessageContaining("it is not in its batch of 2 messages");
        });
        assertNoneHere();
    }

    @Test
    @DisplayName("the threads of an asynchronous handler's work have none")
    void async() {
        assertThat(serving()
                        .executeAsync(DedupCall.<Object>of(key("a")), context -> {
                            assertThat(contexts.current()).isSameAs(context);
                            return CompletableFuture.supplyAsync(() -> {
                                assertNoneHere();
                                return "done";
                            });
                        })
                        .toCompletableFuture())
                .succeedsWithin(Duration.ofSeconds(10))
                .isInstanceOf(DedupOutcome.Handled.class);
        assertNoneHere();
    }

    @Test
    @DisplayName("only contexts of the library can be noted")
    void foreign() {
        DedupContexts foreign = new DedupContexts() {
            @Override
            public DedupContext current() {
                throw new AssertionError();
            }

            @Override
            public DedupContext current(String messageId) {
                throw new AssertionError();
            }
        };
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Deduplicators.builder(store).contexts(foreign))
                .withMessageContaining("Deduplicators.contexts()");
    }
}
