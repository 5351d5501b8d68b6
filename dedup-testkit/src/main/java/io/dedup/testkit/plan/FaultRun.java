package io.dedup.testkit.plan;

import io.dedup.testkit.faults.TcpProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of a fault plan: say what is run, what is sent and how an effect is counted, and {@link #play()} it. A {@link
 * FaultPlan} test is given one; {@link #of} is for everybody else, who has to close it. Not thread-safe.
 */
public final class FaultRun implements AutoCloseable {
    private PlanSettings settings;
    private @Nullable Traffic traffic;
    private @Nullable String main;
    private final List<String> arguments = new ArrayList<>();
    private List<String> jvmOptions = List.of("-XX:TieredStopAtLevel=1");
    private boolean inThisProcess;
    private final List<ProxiedStore> stores = new ArrayList<>();
    private @Nullable Supplier<? extends Collection<String>> effects;
    private Duration atMost = Duration.ofMinutes(5);
    private boolean played;
    private @Nullable Path logs;
    private final List<AutoCloseable> open = new ArrayList<>();

    FaultRun(PlanSettings settings) {
        this.settings = settings;
    }

    /**
     * A run without the annotation. What the system properties of {@link FaultPlan} say takes precedence here as well.
     *
     * @param times how often each fault comes
     */
    public static FaultRun of(long seed, int messages, int times, Fault... faults) {
        return new FaultRun(PlanSettings.of(seed, messages, times, List.of(faults)));
    }

    /**
     * The application, which is run in two processes with the class path of this JVM. They may be killed, and end with the
     * test. Their standard input isn't theirs.
     *
     * @param mainClass has the {@code main} method
     * @param args its arguments; {@link #store} adds some
     */
    public FaultRun application(Class<?> mainClass, String... args) {
        return application(mainClass.getName(), args);
    }

    /** As {@link #application(Class, String...)}, for a class that has no name in Java, as those of Kotlin's files. */
    public FaultRun application(String mainClass, String... args) {
        main = Objects.requireNonNull(mainClass, "mainClass");
        arguments.addAll(List.of(args));
        return this;
    }

    /** Options of the application's JVMs; {@code -XX:TieredStopAtLevel=1}, for a quick start, unless set. */
    public FaultRun jvmOptions(String... options) {
        jvmOptions = List.of(options);
        return this;
    }

    /** Instead of {@link #application}: the listener runs in this JVM already. Nothing is killed or paused then. */
    public FaultRun inThisProcess() {
        inThisProcess = true;
        return this;
    }

    /** Required: what is sent, and which group handles it. Closed with the run. */
    public FaultRun traffic(Traffic sent) {
        traffic = Objects.requireNonNull(sent, "traffic");
        open.add(sent);
        return this;
    }

    /**
     * A store that is cut off and slowed down. A proxy is put in front of it.
     *
     * @param argument the application's argument that leads it through the proxy, given the proxy's port on localhost; for
     *     instance {@code port -> "--spring.data.redis.port=" + port}
     */
    public FaultRun store(String host, int port, IntFunction<String> argument) {
        ProxiedStore store = ProxiedStore.inFrontOf(host, port, argument);
        open.add(store::close);
        stores.add(store);
        return this;
    }

    /** A store that the application reaches through this proxy already. It is healed with the run's end, and not closed. */
    public FaultRun store(TcpProxy proxy) {
        ProxiedStore store = ProxiedStore.of(proxy);
        open.add(store::close);
        stores.add(store);
        return this;
    }

    /**
     * Required: how an effect is counted; for instance a query for the order IDs of all invoices.
     *
     * @param tookEffect the messages' IDs, one entry for each time; called often, on a thread of its own. Must not go
     *     through a proxy of this run
     */
    public FaultRun effects(Supplier<? extends Collection<String>> tookEffect) {
        effects = Objects.requireNonNull(tookEffect, "effects");
        return this;
    }

    /**
     * How long a fault lasts at most; 3 s unless set. A pause lasts three quarters of it or more: let it be longer than
     * the application's leases and its {@code session.timeout.ms}, or a pause shows nothing.
     */
    public FaultRun faultsLast(Duration longest) {
        settings = settings.lasting(longest);
        return this;
    }

    /**
     * How long the application may take to start, and how long it may go without acking anything after a fault and in the
     * end; 5 minutes unless set.
     */
    public FaultRun atMost(Duration limit) {
        atMost = Objects.requireNonNull(limit, "limit");
        return this;
    }

    /**
     * Plays the plan, and returns when all that was sent is acked and no more effects come.
     *
     * @throws IllegalArgumentException when a setting is missing or wrong; names it
     * @throws IllegalStateException when the application can't be started, or the effects can't be counted
     */
    public FaultReport play() {
        played = true;
        Traffic sent = required("traffic", traffic);
        Supplier<? extends Collection<String>> counted = required("effects", effects);
        checkFaults();
        Set<String> ids = ids(sent);
        Path output = main == null ? null : directory();
        logs = output;
        History history = new History();
        Observer observer = new Observer(sent, counted, history);
        open.add(0, observer);
        requireFresh(ids, observer.effectsNow());
        AppProcesses processes = main == null || output == null ? null : processes(main, output, sent, history);
        Instant begin = Instant.now();
        Injector injector = new Injector(processes, stores, sent, history);
        Observer.Look last =
                new Player(sent, processes, injector, observer, history, atMost).play(DrawnPlan.of(settings));
        return new FaultReport(settings, sent, history, last, Duration.between(begin, Instant.now()), output, atMost);
    }

    private AppProcesses processes(String application, Path output, Traffic sent, History history) {
        List<String> all = new ArrayList<>(arguments);
        stores.forEach(store -> store.argument().ifPresent(all::add));
        AppCommand command = AppCommand.write(application, jvmOptions, all, output);
        AppProcesses processes = new AppProcesses(command, output, sent, history, atMost);
        open.add(0, command::delete);
        open.add(0, processes); // ends first
        return processes;
    }

    private void checkFaults() {
        check(
                (main != null) != inThisProcess,
                "set application(...), or inThisProcess() where the listener runs already");
        for (Fault fault : Fault.values()) {
            if (settings.faults().contains(fault)) {
                check(
                        !fault.hitsProcess() || main != null,
                        fault
                                + " would end this JVM, or stop it: run the listener as an application(...) of its own, or"
                                + " name faults without " + Fault.KILL + " and " + Fault.PAUSE);
                check(
                        !fault.hitsStore() || !stores.isEmpty(),
                        fault + " needs a store(...) to hit: name one, or name faults without " + Fault.STORE_CUT
                                + " and " + Fault.SLOW_STORE);
            }
        }
        check(
                main != null
                        || stores.stream().allMatch(store -> store.argument().isEmpty()),
                "a listener in this process can't be led to another port: let it use a TcpProxy from its start, and give"
                        + " that to store(...)");
    }

    private Set<String> ids(Traffic sent) {
        Set<String> ids = new LinkedHashSet<>();
        for (int number = 0; number < settings.messages(); number++) {
            String id = sent.id(number);
            check(id != null, "message " + number + " of " + sent.description() + " has no usable ID");
            check(
                    ids.add(Objects.requireNonNull(id)),
                    "message " + number + " of " + sent.description()
                            + " has the ID of another one: give each its own; " + Fault.COPIES + " makes the copies");
        }
        return ids;
    }

    private static void requireFresh(Set<String> ids, Map<String, Integer> before) {
        ids.stream().filter(before::containsKey).findFirst().ifPresent(id -> {
            throw new IllegalArgumentException("message " + PlanText.id(id)
                    + " had taken effect before the plan began: give the messages of each run IDs of their own");
        });
    }

    private static Path directory() {
        try {
            return Files.createTempDirectory("fault-plan-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static <T> T required(String what, @Nullable T value) {
        check(value != null, what + "(...) must be set");
        return Objects.requireNonNull(value);
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /** Whether {@link #play()} was called. */
    boolean wasPlayed() {
        return played;
    }

    /** The application's output is of no use to anybody. */
    void deleteOutput() {
        if (logs != null) {
            for (int i = 0; i < DrawnPlan.PROCESSES; i++) {
                AppProcesses.log(logs, i).toFile().delete();
            }
            logs.toFile().delete();
        }
    }

    /** Ends the application's processes, and frees all else that was opened for the run. */
    @Override
    public void close() {
        IllegalStateException failure = null;
        for (AutoCloseable each : open) {
            try {
                each.close();
            } catch (Exception e) {
                failure = failure == null ? new IllegalStateException("can't close a fault plan's run", e) : failure;
            }
        }
        open.clear();
        if (failure != null) {
            throw failure;
        }
    }
}
