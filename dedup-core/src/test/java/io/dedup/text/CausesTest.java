package io.dedup.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class CausesTest {
    private final IOException innermost = new IOException("reset");
    private final RuntimeException outer = new IllegalStateException(new CompletionException(innermost));

    @Test
    void outermostFirst() {
        assertThat(Causes.of(outer)).hasSize(3).startsWith(outer).endsWith(innermost);
        assertThat(Causes.of(null)).isEmpty();
    }

    @Test
    void firstOfAKind() {
        assertThat(Causes.first(outer, IOException.class)).isSameAs(innermost);
        assertThat(Causes.first(outer, RuntimeException.class)).isSameAs(outer);
        assertThat(Causes.first(outer, InterruptedException.class)).isNull();
        assertThat(Causes.first(null, IOException.class)).isNull();
    }

    @Test
    void withoutWhatFuturesWrap() {
        assertThat(Causes.unwrapped(new ExecutionException(new CompletionException(innermost))))
                .isSameAs(innermost);
        assertThat(Causes.unwrapped(outer)).isSameAs(outer);
        CompletionException empty = new CompletionException("without a cause", null);
        assertThat(Causes.unwrapped(empty)).isSameAs(empty);
    }

    @Test
    void aCircleEnds() {
        Exception first = new Exception("first");
        Exception second = new CompletionException(first);
        first.initCause(second);

        assertThat(Causes.of(first)).hasSizeLessThan(100);
        assertThat(Causes.first(first, Error.class)).isNull();
        assertThat(Causes.unwrapped(second)).isIn(first, second);
    }
}
