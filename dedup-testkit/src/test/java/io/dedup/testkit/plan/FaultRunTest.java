package io.dedup.testkit.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.testkit.faults.TcpProxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FaultRunTest {
    private static FaultRun run(FakeTraffic traffic, Fault... faults) {
        return FaultRun.of(1, 20, 1, faults)
                .traffic(traffic)
                .effects(() -> traffic.effects)
                .faultsLast(Duration.ofMillis(100))
                .atMost(Duration.ofSeconds(30));
    }

    private static FaultReport play(FakeTraffic traffic) {
        try (FaultRun run = run(traffic, Fault.REBALANCE, Fault.COPIES)) {
            return run.inThisProcess().play();
        }
    }

    @Test
    @DisplayName("a listener that is right passes, and everything is closed")
    void good() {
        FakeTraffic traffic = FakeTraffic.good();

        FaultReport report = play(traffic);

        report.assertThat().handledOncePerId().gaveNothingUp().doubledByRetriesOnly(List.of());
        assertThat(report.ids()).hasSize(20);
        assertThat(traffic.sent.get()).isGreaterThan(20);
        assertThat(traffic.visits).hasValue(2);
        assertThat(traffic.closed).isTrue();
        assertThat(report.faults()).hasSize(2).allMatch(line -> line.contains("REBALANCE"));
        assertThat(report).hasToString(report.toString()).asString().contains("seed 1", "-Ddedup.fault-plan.seed=1");
    }

    @Test
    @DisplayName("a lost message is named, with its time line")
    void lost() {
        FaultReport report = play(new FakeTraffic((traffic, message) -> {
            if (!"m7".equals(message.id()) && !traffic.effects.contains(message.id())) {
                traffic.effects.add(message.id());
            }
        }));

        assertThat(report.lost()).containsExactly("m7");
        assertThat(report.doubled()).isEmpty();
        assertThatThrownBy(() -> report.assertThat().lostNothing())
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("1 message lost: acknowledged without an effect:\n  \"m7\": t-0@")
                .hasMessageContaining("; took effect 0 times\n")
                .hasMessageContaining("+0 ms sent (t-0@")
                .hasMessageContaining(") without an effect")
                .hasMessageContaining("REBALANCE")
                .hasMessageContaining("To run the same plan again: -Ddedup.fault-plan.seed=1");
    }

    @Test
    @DisplayName("a doubled message is named; where every run but one was a retry that may be said to be right")
    void doubled() {
        FaultReport report = play(new FakeTraffic((traffic, message) -> {
            if (!traffic.effects.contains(message.id()) || "m3".equals(message.id())) {
                traffic.effects.add(message.id());
                if ("m3".equals(message.id())) {
                    traffic.effects.add(message.id());
                }
            }
        }));

        report.assertThat().lostNothing();
        assertThat(report.doubled()).containsExactly("m3");
        assertThatThrownBy(() -> report.assertThat().handledOncePerId())
                .hasMessageStartingWith("1 message took effect more than once:\n  \"m3\": t-0@")
                .hasMessageContaining("ms took effect again");
        List<String> all = Collections.nCopies(report.handled("m3") - 1, "m3");
        report.assertThat().doubledByRetriesOnly(all);
        assertThatThrownBy(() -> report.assertThat().doubledByRetriesOnly(List.of("m4")))
                .hasMessageContaining("in runs that weren't marked as retries");
    }

    @Test
    @DisplayName(
            "where effects are counted by steps, a step that is missing is a loss, and a step that is doubled is named")
    void steps() {
        FakeTraffic traffic = new FakeTraffic((broker, message) -> {
            if (!broker.effects.contains(message.id())) {
                broker.effects.add(message.id());
            }
        });
        try (FaultRun run = FaultRun.of(1, 20, 1, Fault.REBALANCE)) {
            FaultReport report = run.traffic(traffic)
                    .step("charge", () -> traffic.effects)
                    .step(
                            "mail",
                            () -> traffic.effects.stream()
                                    .filter(id -> !id.equals("m5"))
                                    .flatMap(id -> Stream.generate(() -> id).limit(id.equals("m3") ? 2 : 1))
                                    .toList())
                    .faultsLast(Duration.ofMillis(100))
                    .atMost(Duration.ofSeconds(30))
                    .inThisProcess()
                    .play();

            assertThat(report.lost()).containsExactly("m5");
            assertThat(report.doubled()).containsExactly("m3");
            assertThat(report.doubled("charge")).isEmpty();
            assertThat(report.doubled("mail")).containsExactly("m3");
            assertThat(report.handled("m3", "mail")).isEqualTo(2);
            assertThatThrownBy(() -> report.assertThat().lostNothing())
                    .hasMessageContaining("took effect 0 times (charge 1, mail 0)")
                    .hasMessageContaining("Doubled by step: charge 0, mail 1");
        }
        refused(
                FaultRun.of(1, 1, 1, Fault.COPIES)
                        .traffic(traffic)
                        .inThisProcess()
                        .effects(List::of)
                        .step("mail", List::of),
                "Call either effects(...), or step(...)");
    }

    @Test
    @DisplayName("an effect that comes later than 1 s after everything is acked is found by a plan that waits for it")
    void lateEffect() {
        FakeTraffic traffic = FakeTraffic.good();
        Executor later = CompletableFuture.delayedExecutor(2, TimeUnit.SECONDS);
        traffic.afterTheFault = () -> {
            traffic.afterTheFault = () -> {};
            later.execute(() -> traffic.effects.add("m3"));
        };
        try (FaultRun run = run(traffic, Fault.REBALANCE)) {
            FaultReport report =
                    run.inThisProcess().quietFor(Duration.ofSeconds(4)).play();

            assertThat(report.doubled()).containsExactly("m3");
        }
    }

    @Test
    @DisplayName("what is among the dead letters is given up, not lost")
    void givenUp() {
        FaultReport report = play(new FakeTraffic((traffic, message) -> {
            if ("m5".equals(message.id())) {
                traffic.deadLetters.add(message);
            } else if (!traffic.effects.contains(message.id())) {
                traffic.effects.add(message.id());
            }
        }));

        report.assertThat().handledOncePerId();
        assertThat(report.givenUp()).containsExactly("m5");
        assertThatThrownBy(() -> report.assertThat().gaveNothingUp()).hasMessageContaining("\"m5\"");
    }

    @Test
    @DisplayName("what isn't acked in time is named, and no more faults come when nothing goes on")
    void stuck() {
        FakeTraffic traffic = new FakeTraffic((broker, message) -> broker.unacked.add(message));
        traffic.partitionsForGuests = List.of(false); // nor does a listener that is stuck give up partitions
        try (FaultRun run = run(traffic, Fault.REBALANCE)) {
            FaultReport report =
                    run.inThisProcess().atMost(Duration.ofMillis(200)).play();

            assertThat(report.lost()).isEmpty();
            assertThat(report.unacked()).isNotEmpty();
            assertThatThrownBy(() -> report.assertThat().lostNothing())
                    .hasMessageContaining("not acknowledged; no progress for PT0.2S");
        }
    }

    @Test
    @DisplayName("a plan that was broken off proves nothing, even if all is acked later")
    void brokenOff() {
        FakeTraffic traffic = new FakeTraffic((broker, message) -> {
            if (!broker.effects.contains(message.id())) {
                broker.effects.add(message.id());
            }
            broker.unacked.add(message);
        });
        try (FaultRun run = run(traffic, Fault.REBALANCE)) {
            traffic.afterTheFault = traffic.unacked::clear;
            FaultReport report =
                    run.inThisProcess().atMost(Duration.ofMillis(300)).play();

            assertThat(report.unacked()).isEmpty();
            assertThatThrownBy(() -> report.assertThat().lostNothing())
                    .hasMessageContaining("No message was acknowledged for PT0.3S after REBALANCE");
        }
    }

    @Test
    @DisplayName("what cannot be played is refused, with what to do about it")
    void refused() {
        FakeTraffic traffic = FakeTraffic.good();

        refused(run(traffic, Fault.KILL).inThisProcess(), "KILL would kill or pause this JVM", "application(...)");
        refused(run(traffic, Fault.PAUSE).inThisProcess(), "PAUSE would kill or pause this JVM");
        refused(run(traffic, Fault.SLOW_STORE).inThisProcess(), "SLOW_STORE needs a store. Call store(...)");
        refused(run(traffic, Fault.COPIES), "Call application(...)");
        refused(run(traffic, Fault.COPIES).inThisProcess().application("Main"), "Call application(...)");
        refused(FaultRun.of(1, 1, 1, Fault.COPIES).inThisProcess(), "Call traffic(...) first");
        refused(FaultRun.of(1, 1, 1, Fault.COPIES).traffic(traffic), "Call effects(...) first");
        refused(
                run(traffic, Fault.COPIES).inThisProcess().store("localhost", 1, port -> "--port=" + port),
                "cannot be redirected to a proxy's port");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FaultRun.of(1, 19, 20, Fault.REBALANCE, Fault.COPIES))
                .withMessageContaining("messages must be at least 20, but is 19: with times=20");
        traffic.effects.add("m4");
        refused(run(traffic, Fault.COPIES).inThisProcess(), "\"m4\" had already taken effect before the plan started");
    }

    private static void refused(FaultRun run, String... parts) {
        try (run) {
            var refusal = assertThatIllegalArgumentException().isThrownBy(run::play);
            for (String part : parts) {
                refusal.withMessageContaining(part);
            }
        }
    }

    /** A store that answers each connection's first byte. */
    private static void answer(ServerSocket server) {
        try {
            while (true) {
                try (Socket client = server.accept()) {
                    client.getOutputStream().write(client.getInputStream().read());
                }
            }
        } catch (IOException closed) {
            // the test is over
        }
    }

    /** What the listener asks the store. */
    private static void ask(TcpProxy proxy) {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
            client.setSoTimeout(100);
            client.getOutputStream().write(1);
            int unused = client.getInputStream().read();
        } catch (IOException fault) {
            // that's what the plan is for
        }
    }

    @Test
    @DisplayName(
            "a store that the application doesn't reach through its proxy wasn't tested, which is said with its setting")
    void unusedProxy() throws Exception {
        try (var server = new ServerSocket(0);
                TcpProxy proxy = TcpProxy.to(server.getLocalPort())) {
            ask(proxy); // before the plan
            try (FaultRun run =
                    run(FakeTraffic.good(), Fault.SLOW_STORE).inThisProcess().store(proxy)) {
                assertThatThrownBy(run::play)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("SLOW_STORE hit nothing")
                        .hasMessageContaining("the store behind port " + proxy.port());
            }
            try (FaultRun run =
                    run(FakeTraffic.good(), Fault.COPIES).inThisProcess().store(proxy)) {
                run.play().assertThat().handledOncePerId(); // no fault was to hit the store
            }
        }
    }

    @Test
    @DisplayName("rebalances in which no guest took a partition interrupted nothing")
    void noPartitions() {
        FakeTraffic traffic = FakeTraffic.good();
        traffic.partitionsForGuests = List.of(false);
        try (FaultRun run = run(traffic, Fault.REBALANCE).inThisProcess()) {
            assertThatThrownBy(run::play)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("REBALANCE hit nothing")
                    .hasMessageContaining("topic t, group g");
        }

        FakeTraffic once = FakeTraffic.good();
        once.partitionsForGuests = List.of(false, true);
        try (FaultRun run = run(once, Fault.REBALANCE).inThisProcess()) {
            assertThat(run.play().faults())
                    .satisfiesExactly(
                            line -> assertThat(line).endsWith("another member was in the group, and took no partition"),
                            line -> assertThat(line).endsWith("another member was in the group, and took partitions"));
        }
    }

    @Test
    @DisplayName("what the application asked its store while it started doesn't count as hit")
    void proxyUsedOnlyAtStart() throws Exception {
        try (var server = new ServerSocket(0)) {
            CompletableFuture<Void> unused = CompletableFuture.runAsync(() -> answer(server));
            Path directory = Files.createTempDirectory("asks-at-start-");
            FakeTraffic traffic = FakeTraffic.good();
            traffic.members = () -> AppProcessesTest.members(directory);
            FaultRun run = run(traffic, Fault.SLOW_STORE)
                    .application(AppProcessesTest.Member.class, directory.toString(), "asks")
                    .store("localhost", server.getLocalPort(), String::valueOf)
                    .atMost(Duration.ofMinutes(2));
            try (run) {
                assertThatThrownBy(run::play)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("SLOW_STORE hit nothing")
                        .hasMessageContaining("since it joined its group");
            } finally {
                run.deleteOutput();
            }
        }
    }

    @Test
    @DisplayName("a fault that meets a group without work is counted: such a fault interrupts nothing")
    void withoutWork() {
        FakeTraffic quick = FakeTraffic.good(); // handles its only message as it is sent
        try (FaultRun run = FaultRun.of(1, 1, 1, Fault.REBALANCE)
                .traffic(quick)
                .effects(() -> quick.effects)
                .faultsLast(Duration.ofMillis(100))
                .inThisProcess()) {
            assertThat(run.play().toString())
                    .contains("Faults that met a group without work in progress: REBALANCE 1 of 1");
        }

        FakeTraffic busy = new FakeTraffic((broker, message) -> {
            FakeTraffic.handleOnce(broker, message);
            broker.unacked.add(message);
        });
        try (FaultRun run = run(busy, Fault.REBALANCE)) {
            assertThat(run.inThisProcess().atMost(Duration.ofSeconds(2)).play().toString())
                    .doesNotContain("without work");
        }
    }

    @Test
    @DisplayName("a report doesn't change, although the application goes on")
    void immutable() {
        FakeTraffic traffic = FakeTraffic.good();
        try (FaultRun run = run(traffic, Fault.REBALANCE)) {
            FaultReport report = run.inThisProcess().play();
            List<String> before = report.timeLine("m3");
            int looks = traffic.looks.get();
            traffic.effects.add("m3");
            await().until(() -> traffic.looks.get() > looks + 2);

            assertThat(report.timeLine("m3")).isEqualTo(before);
        }
    }

    @Test
    @DisplayName("a proxy that isn't ours is healed, and stays open")
    void ownProxy() throws Exception {
        try (var server = new ServerSocket(0);
                TcpProxy proxy = TcpProxy.to(server.getLocalPort())) {
            CompletableFuture<Void> unused = CompletableFuture.runAsync(() -> answer(server));
            FakeTraffic traffic = new FakeTraffic((broker, message) -> {
                ask(proxy);
                FakeTraffic.handleOnce(broker, message);
            });
            try (FaultRun run = run(traffic, Fault.STORE_CUT, Fault.SLOW_STORE)) {
                FaultReport report = run.inThisProcess().store(proxy).play();
                assertThat(report.faults())
                        .anyMatch(line -> line.contains("STORE_CUT"))
                        .anyMatch(line -> line.contains("SLOW_STORE") && line.contains("ms slower"));
            }
            try (var client = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
                assertThat(client.isConnected()).isTrue();
            }
        }
    }
}
