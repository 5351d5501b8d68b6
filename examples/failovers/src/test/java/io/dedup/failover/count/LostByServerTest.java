package io.dedup.failover.count;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.failover.plan.Effect;
import io.dedup.failover.plan.Promise;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LostByServerTest {
    private static Count count(Set<String> lostByServer) {
        return new Counter(List.of("a", "b", "c"), 0, List.of())
                .count(List.of(new Effect("a", 1, 0)), missing -> lostByServer, true);
    }

    @Test
    @DisplayName("what the server lost isn't lost by the framework, and breaks the promise unless the server may lose")
    void apart() {
        Count count = count(Set.of("b", "c"));
        assertThat(count.gone()).isEqualTo(2);
        assertThat(count.lost()).isZero();
        assertThat(count.broken(Promise.ONCE, true)).isEmpty();
        assertThat(count.broken(Promise.ONCE, false)).containsExactly("2 lost by the server");
    }

    @Test
    @DisplayName("what the server has not lost, and has no effect, is lost whatever the server may do")
    void rest() {
        assertThat(count(Set.of("b")).broken(Promise.ONCE, true)).containsExactly("1 lost");
    }
}
