package io.dedup.testservers.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.sql.PostgresServer;
import io.dedup.testservers.sql.PostgresServers;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No server and no file outlives the JVM that started it. */
final class OrphansTest {

    @ParameterizedTest
    @ValueSource(strings = {"killed", "exits"})
    void serversAndFilesGoWithTheirJvm(String end) throws Exception {
        Process jvm = ChildJvm.start(Victim.class, end);
        try (BufferedReader output = jvm.inputReader()) {
            List<String> report = List.of(output.lines()
                    .dropWhile(line -> !line.startsWith("started "))
                    .findFirst()
                    .orElseThrow()
                    .split(" "));
            Path files = Path.of(report.get(1));
            List<Long> pids =
                    report.subList(2, report.size()).stream().map(Long::valueOf).toList();
            assertThat(pids).hasSizeGreaterThan(4).allMatch(OrphansTest::runs);
            assertThat(files).isDirectory();
            if (end.equals("killed")) {
                jvm.destroyForcibly();
            }
            assertThat(jvm.waitFor()).isEqualTo(end.equals("killed") ? 137 : 0);
            Awaitility.await().until(() -> pids.stream().noneMatch(OrphansTest::runs) && !Files.exists(files));
        } finally {
            jvm.destroyForcibly();
        }
    }

    private static boolean runs(long pid) {
        return ProcessHandle.of(pid).isPresent();
    }

    /** Starts servers, stops one of them by SIGSTOP, prints their process IDs, and then waits for its own end or ends itself. */
    static final class Victim {

        public static void main(String[] arguments) throws Exception {
            RedisServer redis = RedisServers.start();
            PostgresServer postgres = PostgresServers.start();
            PostgresServer paused = PostgresServers.start();
            paused.pause();
            StringBuilder report =
                    new StringBuilder("started " + redis.directory().getParent());
            for (LocalServer server : Arrays.asList(redis, postgres, paused)) {
                ProcessHandle handle = ProcessHandle.of(server.pid()).orElseThrow();
                report.append(' ').append(handle.pid());
                handle.descendants().forEach(child -> report.append(' ').append(child.pid()));
            }
            System.out.println(report);
            if (arguments[0].equals("killed")) {
                Thread.currentThread().join();
            }
        }
    }
}
