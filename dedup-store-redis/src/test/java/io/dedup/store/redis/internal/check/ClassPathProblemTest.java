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
    @Test
    @DisplayName("D9 where all of Netty is 4.1, or none is recognised, the message says so")
    void otherClassPaths() {
        LinkageError error = new NoSuchMethodError("io.netty.X.y()");
        assertThat(ClassPathProblem.describe(error, Map.of("4.1.100.Final", Set.of("netty-common"))))
                .contains(
                        "NoSuchMethodError: io.netty.X.y()",
                        "the class path has 4.1.100.Final.",
                        "4.1.100.Final are: netty-common");
        assertThat(ClassPathProblem.describe(error, Map.of())).contains("the class path has no recognizable Netty");
    }

    @Test
    @DisplayName("where Netty is one 4.2, nobody is sent to change its version")
    void nettyIsRight() {
        Map<String, Set<String>> jars = new TreeMap<>(Map.of("4.2.17.Final", new TreeSet<>(List.of("netty-common"))));
        assertThat(ClassPathProblem.describe(new NoClassDefFoundError("reactor/core/X"), jars))
                .contains("reactor/core/X", "Netty is 4.2.17.Final throughout", "dependency:tree")
                .doesNotContain("bom");
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
