package io.dedup.testkit.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupScope;
import io.dedup.step.StepOutcome;
import io.dedup.testkit.faults.PausedProcess;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, whose membership in a group is a file. */
class AppProcessesTest {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @TempDir
    private Path directory;

    private final History history = new History();

    /** The application: a file for each process. */
    static final class Member {
        private Member() {}

        public static void main(String[] args) throws Exception {
            if (args[1].equals("ends")) {
                System.out.println("nothing to do");
                return;
            }
            Path directory = Path.of(args[0]);
            if (args[1].equals("asks")) {
                try (Socket store = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[2]))) {
                    store.getOutputStream().write(1);
                    int unused = store.getInputStream().read();
                }
            }
            if (args[1].equals("pairs") && first(directory)) {
                Files.createFile(directory.resolve("member-another"));
            } else if (args[1].equals("pairs")) {
                Pause.of(Duration.ofSeconds(2)); // slower than the first one
            }
            Files.createFile(
                    directory.resolve("member-" + ProcessHandle.current().pid()));
            StepStops stops = new StepStops();
            while (args[1].equals("steps")) {
                stops.step(DedupScope.of("g", "t").key("a"), "charge", StepOutcome.RUN);
                Pause.of(Duration.ofMillis(10));
            }
            Thread.currentThread().join(); // until it is killed
        }
    }

    private static boolean first(Path directory) {
        try {
            Files.createFile(directory.resolve("first"));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private Set<String> members() {
        return members(directory);
    }

    static Set<String> members(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(Path::getFileName)
                    .map(Path::toString)
                    .filter(name -> name.startsWith("member-"))
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private AppCommand command(String... arguments) {
        return AppCommand.write(
                Member.class.getName(), List.of("-XX:TieredStopAtLevel=1"), List.of(arguments), directory);
    }

    private AppProcesses processes(String what) {
        FakeTraffic traffic = FakeTraffic.good();
        traffic.members = this::members;
        return new AppProcesses(command(directory.toString(), what), directory, traffic, history, LIMIT);
    }

    @Test
    @DisplayName("two are started; one that is killed is started again, and is awaited")
    void killed() {
        AppProcesses processes = processes("stays");
        try (processes) {
            processes.start();
            assertThat(members()).hasSize(2);

            processes.kill(1);
            processes.awaitJoined();

            assertThat(members()).hasSize(3);
            assertThat(history.happenings())
                    .singleElement()
                    .satisfies(each -> assertThat(each.what()).startsWith("process 1 (pid "));
            if (PausedProcess.isSupported()) {
                processes.pause(0, Duration.ofMillis(50));
                assertThat(history.happenings()).hasSize(2);
            }
        }
        assertThat(members())
                .allSatisfy(name -> assertThat(ProcessHandle.of(Long.parseLong(name.substring("member-".length()))))
                        .isEmpty());
    }

    @Test
    @DisplayName("the two consumers of a process don't stand for the other process, which hasn't joined yet")
    void twoConsumers() {
        try (AppProcesses processes = processes("pairs")) {
            processes.start();
            assertThat(members()).hasSize(3);
        }
    }

    /** A plan whose only kill is one between two steps. */
    private FaultReport killBetweenSteps(String what) {
        FakeTraffic traffic = FakeTraffic.good();
        traffic.members = this::members;
        FaultRun run = FaultRun.of(12, 20, 1, Fault.KILL);
        try (run) {
            return run.application(Member.class, directory.toString(), what)
                    .traffic(traffic)
                    .step("charge", () -> traffic.effects)
                    .atMost(LIMIT)
                    .play();
        } finally {
            run.deleteOutput();
        }
    }

    @Test
    @DisplayName("kills between steps that found no step tested nothing, which is said with what to do about it")
    void noSteps() {
        assertThatThrownBy(() -> killBetweenSteps("stays"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("KILL hit nothing between steps")
                .hasMessageContaining("new StepStops()");

        assertThat(killBetweenSteps("steps").faults())
                .singleElement()
                .asString()
                .contains("was killed after step charge of message ID");
    }

    @Test
    @DisplayName("an application that ends again and again is named, with its output")
    void ends() {
        try (AppProcesses processes = processes("ends")) {
            assertThatThrownBy(processes::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("The application has ended by itself 6 times")
                    .hasMessageContaining("ended with exit value 0")
                    .hasMessageContaining("nothing to do");
        }
    }

    @Test
    @DisplayName("a process ends when the one that started it is gone")
    void endsWithParent() throws Exception {
        Process process = command(directory.toString(), "stays").start(directory.resolve("log"));
        try {
            await().until(() -> members().size() == 1);

            process.getOutputStream().close(); // as the system does for one that was killed

            assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(143);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    @DisplayName("arguments reach the application as they are, whatever is in them")
    void quoted() throws Exception {
        String odd = "a b\"c\\d'e\n@f#" + File.separator;
        Path odds = Files.createDirectory(directory.resolve("odd"));
        Process process = AppCommand.write(Echo.class.getName(), List.of(), List.of(odd, ""), odds)
                .start(odds.resolve("log"));

        assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(odds.resolve("log"))).isEqualTo("[" + odd + "][]");
        assertThat(command("secret").toString()).doesNotContain("secret");
    }

    /** Prints its arguments. */
    static final class Echo {
        private Echo() {}

        public static void main(String[] args) {
            for (String each : args) {
                System.out.print("[" + each + "]");
            }
        }
    }
}
