package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.testservers.RedisServers;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** D9: what a store says on a class path where another library has brought an older Netty. */
class ClassPathProblemTest {
    @Test
    @DisplayName(
            "D9 a jar of Netty 4.1 on the class path: the start fails, and says which jars clash and what to write")
    void olderEpoll() throws Exception {
        String older = Path.of(System.getProperty("dedup.test.netty41"), "*").toString();
        String output = openStore(older + File.pathSeparator + System.getProperty("java.class.path"));
        assertThat(output)
                .contains("io.dedup.store.DedupStoreException: Redis store: start failed")
                .contains("NoClassDefFoundError: io/netty/channel/epoll/EpollIoHandler. Lettuce needs Netty 4.2")
                .containsPattern("the class path has 4\\.1\\.130\\.Final and 4\\.2\\.\\d+\\.Final\\.")
                .contains(
                        "import io.dedup:dedup-bom, or io.netty:netty-bom in a version 4.2.x, in dependencyManagement")
                .contains("4.1.130.Final are: netty-transport-classes-epoll, netty-transport-native-epoll. 4.2.")
                .containsPattern("4\\.2\\.\\d+\\.Final are: netty-buffer, .*netty-common");
    }

    @Test
    @DisplayName("the same class path without it: the store opens")
    void asItShouldBe() throws Exception {
        assertThat(openStore(System.getProperty("java.class.path"))).contains("opened");
    }

    /** In a JVM of its own. */
    private static String openStore(String classPath) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath,
                        OpenStore.class.getName(),
                        RedisServers.shared().uri())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return output;
    }

    @Test
    @DisplayName("D9 where all of Netty is 4.1, or none is recognised, the message says so")
    void otherClassPaths() {
        LinkageError error = new NoSuchMethodError("io.netty.X.y()");
        assertThat(ClassPathProblem.describe(error, Map.of("4.1.100.Final", Set.of("netty-common"))))
                .contains(
                        "NoSuchMethodError: io.netty.X.y()",
                        "the class path has 4.1.100.Final.",
                        "4.1.100.Final are: netty-common");
        assertThat(ClassPathProblem.describe(error, Map.of()))
                .contains("the class path has none that can be recognised");
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
