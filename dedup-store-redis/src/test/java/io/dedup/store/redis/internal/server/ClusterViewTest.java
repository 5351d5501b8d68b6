package io.dedup.store.redis.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.store.redis.internal.server.ClusterView.Master;
import io.lettuce.core.RedisException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ClusterViewTest {
    private static final String OTHERS = """
            bb 127.0.0.1:7002@17002,host-2 master - 0 1700000000001 2 connected 3 5-6
            cc 127.0.0.1:7003@17003 slave bb 0 1700000000002 2 connected
            dd 127.0.0.1:7004@17004 master,fail - 1700000000000 1700000000000 9 disconnected 7
            ee :0@0 master,fail,noaddr - 1700000000000 1700000000000 4 disconnected
            ff 127.0.0.1:7005@17005 handshake - 0 0 0 disconnected
            """;

    @Test
    @DisplayName("masters with their epochs and slots, those that fail as well; not those without slots")
    void masters() {
        ClusterView view =
                ClusterView.parse("aa 127.0.0.1:7001@17001 myself,master - 0 0 1 connected 0-2 4\n" + OTHERS);

        assertThat(view.myself()).isEqualTo("aa");
        assertThat(view.masters())
                .isEqualTo(Map.of(
                        "aa",
                        new Master(1, List.of(0, 1, 2, 4)),
                        "bb",
                        new Master(2, List.of(3, 5, 6)),
                        "dd",
                        new Master(9, List.of(7))));
        assertThat(view.slots()).isEqualTo(8);
        assertThat(view.slotsOnTheirWay()).isFalse();
    }

    @Test
    @DisplayName("slots on their way, out or in, which count as nobody's but their owner's")
    void slotsOnTheirWay() {
        ClusterView out = ClusterView.parse("aa 127.0.0.1:7001@17001 myself,master - 0 0 1 connected 0-2 4 [4->-bb]\n");
        assertThat(out.slotsOnTheirWay()).isTrue();
        assertThat(out.slots()).isEqualTo(4);
        ClusterView in = ClusterView.parse("aa 127.0.0.1:7001@17001 myself,master - 0 0 1 connected [3-<-bb]\n");
        assertThat(in.slotsOnTheirWay()).isTrue();
        assertThat(in.masters()).isEmpty();
    }

    @Test
    @DisplayName("an IPv6 address isn't taken for a slot on its way; nothing is nobody; anything else is refused")
    void other() {
        assertThat(ClusterView.parse("aa [::1]:7001@17001 myself,master - 0 0 1 connected 0\n")
                        .slotsOnTheirWay())
                .isFalse();
        assertThat(ClusterView.parse("").masters()).isEmpty();
        assertThatThrownBy(() -> ClusterView.parse("what")).isInstanceOf(RedisException.class);
    }
}
