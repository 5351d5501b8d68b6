package io.dedup.store.redis.internal.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** D9: what is reported about a class path where another library has brought an older Netty. */
class ClassPathProblemTest {
    private static final String LETTUCE_7 = "7.7.0.RELEASE/1960d49";
    private static final String LETTUCE_6 = "6.6.0.RELEASE/643bd47";

    @Test
    @DisplayName("D9 where all of Netty is 4.1, or none is recognized, the message says so")
    void otherClassPaths() {
        LinkageError error = new NoSuchMethodError("io.netty.X.y()");
        assertThat(ClassPathProblem.describe(error, LETTUCE_7, Map.of("4.1.100.Final", Set.of("netty-common"))))
                .contains(
                        "NoSuchMethodError: io.netty.X.y()",
                        "the class path has 4.1.100.Final.",
                        "4.1.100.Final are: netty-common");
        assertThat(ClassPathProblem.describe(error, LETTUCE_7, Map.of()))
                .contains("the class path has no recognizable Netty");
    }

    @Test
    @DisplayName("where Netty is one 4.2, nobody is sent to change its version")
    void nettyIsRight() {
        Map<String, Set<String>> jars = new TreeMap<>(Map.of("4.2.17.Final", new TreeSet<>(List.of("netty-common"))));
        assertThat(ClassPathProblem.describe(new NoClassDefFoundError("reactor/core/X"), LETTUCE_7, jars))
                .contains("reactor/core/X", "Netty is 4.2.17.Final throughout", "dependency:tree")
                .doesNotContain("bom");
    }

    @Test
    @DisplayName("Lettuce 6, which Spring Boot 3.5 manages, needs one Netty of either version")
    void lettuce6() {
        LinkageError error = new NoClassDefFoundError("io/netty/X");
        assertThat(ClassPathProblem.describe(error, LETTUCE_6, Map.of("4.1.135.Final", Set.of("netty-common"))))
                .contains("Netty is 4.1.135.Final throughout");
        Map<String, Set<String>> both =
                new TreeMap<>(Map.of("4.1.135.Final", Set.of("netty-common"), "4.2.17.Final", Set.of("netty-buffer")));
        assertThat(ClassPathProblem.describe(error, LETTUCE_6, both))
                .contains(
                        "Lettuce 6 needs one version of Netty, and the class path has 4.1.135.Final and 4.2.17.Final",
                        "io.netty:netty-bom",
                        "4.2.17.Final are: netty-buffer")
                .doesNotContain("dedup-bom");
    }

    @Test
    @DisplayName("a linkage error is found where a driver has wrapped it")
    void wrapped() {
        LinkageError error = new NoClassDefFoundError("x");
        assertThat(ClassPathProblem.in(new IllegalStateException(new RuntimeException(error))))
                .isSameAs(error);
        assertThat(ClassPathProblem.in(new IllegalStateException("down"))).isNull();
    }
}
