package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.testservers.redis.RedisServers;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** D9: how a start ends on a class path where another library has brought an older Netty. */
class ClassPathTest {
    @Test
    @DisplayName(
            "D9 a jar of Netty 4.1 on the class path: the start fails, and says which jars clash and what to write")
    void olderEpoll() throws Exception {
        String older = Path.of(System.getProperty("dedup.test.netty41"), "*").toString();
        String output = openStore(older + File.pathSeparator + System.getProperty("java.class.path"));
        assertThat(output)
                .contains("io.dedup.DedupStoreException: Cannot start the Redis store")
                .contains("NoClassDefFoundError: io/netty/channel/epoll/EpollIoHandler. Lettuce needs Netty 4.2")
                .containsPattern("the class path has 4\\.1\\.130\\.Final and 4\\.2\\.\\d+\\.Final\\.")
                .contains("import io.dedup:dedup-bom (or io.netty:netty-bom 4.2.x) in dependencyManagement")
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
}
