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
import java.util.Objects;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of a fault plan: configure the application, the messages and how effects are counted, then {@link #play()}
 * it. A {@link FaultPlan} test gets one as a parameter; other code creates one with {@link #of} and must close it. Not
 * thread-safe.
 */
public final class FaultRun implements AutoCloseable {
    private PlanSettings settings;
    private @Nullable Traffic traffic;
    private @Nullable String main;
    private final List<String> arguments = new ArrayList<>();
    private List<String> jvmOptions = List.of("-XX:TieredStopAtLevel=1");
    private boolean inThisProcess;
    private final List<ProxiedStore> stores = new ArrayList<>();
    private final Effects effects = new Effects();
    private Duration atMost = Duration.ofMinutes(5);
    private Duration quiet = Duration.ofSeconds(1);
    private boolean played;
    private @Nullable Path logs;
    private final List<AutoCloseable> open = new ArrayList<>();

    FaultRun(PlanSettings settings) {
        this.settings = settings;
    }

    /**
     * Creates a run without the annotation. The system properties of {@link FaultPlan} override the parameters here as
     * well.
     *
     * @param times how often each kind of fault happens
     * @throws IllegalArgumentException when a parameter is out of range
     */
    public static FaultRun of(long seed, int messages, int times, Fault... faults) {
        return new FaultRun(PlanSettings.of(seed, messages, times, List.of(faults)));
    }

    /**
     * The application, which runs in two processes with the class path of this JVM. They end with the test. The plan
     * uses their standard input.
     *
     * @param mainClass has the {@code main} method
     * @param args its arguments; {@link #store} adds more
     */
    public FaultRun application(Class<?> mainClass, String... args) {
        return application(mainClass.getName(), args);
    }

    /**
     * As {@link #application(Class, String...)}, for a class that cannot be named in Java, such as those of Kotlin
     * files.
     */
    public FaultRun application(String mainClass, String... args) {
        main = Objects.requireNonNull(mainClass, "mainClass");
        arguments.addAll(List.of(args));
        return this;
    }

    /** Options of the application's JVMs; by default {@code -XX:TieredStopAtLevel=1}, for a quick start. */
    public FaultRun jvmOptions(String... options) {
        jvmOptions = List.of(options);
        return this;
    }

    /**
     * Use this instead of {@link #application} if the listener runs in this JVM already. Faults that kill or pause
     * processes aren't possible then.
     */
    public FaultRun inThisProcess() {
        inThisProcess = true;
        return this;
    }

    /** The messages that are sent, and the consumer group that handles them. Required. Closed with the run. */
    public FaultRun traffic(Traffic sent) {
        traffic = Objects.requireNonNull(sent, "traffic");
        open.add(sent);
        return this;
    }

    /**
     * A store that faults cut off and slow down, through a proxy in front of it.
     *
     * @param argument returns the application's argument that makes it use the proxy, given the proxy's port on
     *     localhost; for example {@code port -> "--spring.data.redis.port=" + port}
     */
    public FaultRun store(String host, int port, IntFunction<String> argument) {
        ProxiedStore store = ProxiedStore.inFrontOf(host, port, argument);
        open.add(store::close);
        stores.add(store);
        return this;
    }

    /**
     * A store that the application reaches through this proxy already. At the end of the run the proxy is healed, but
     * not closed.
     */
    public FaultRun store(TcpProxy proxy) {
        ProxiedStore store = ProxiedStore.of(proxy);
        open.add(store::close);
        stores.add(store);
        return this;
    }

    /**
     * How effects are counted, for example by a query for the order IDs of all invoices. Required.
     *
     * @param tookEffect returns the message IDs, one entry for each time a message took effect; called often, on a
     *     separate thread. Must not go through a proxy of this run
     */
    public FaultRun effects(Supplier<? extends Collection<String>> tookEffect) {
        effects.sources().put(Effects.WHOLE, Objects.requireNonNull(tookEffect, "effects"));
        return this;
    }

    /**
     * How the effects of one {@linkplain io.dedup.DedupContext#step step} are counted, in place of {@link #effects}; called once for
     * each step of the handler. A message has taken effect when all of its steps have, and as often as its most frequent
     * step. {@link Fault#KILL} then also hits processes between two steps, if their deduplicators have {@link StepStops}.
     *
     * @param name of the step, for the report
     * @param tookEffect as for {@link #effects}
     */
    public FaultRun step(String name, Supplier<? extends Collection<String>> tookEffect) {
        check(!name.isBlank(), "The name of a step must not be blank");
        check(
                effects.sources().put(name, Objects.requireNonNull(tookEffect, "step")) == null,
                "Step " + name + " is counted twice");
        return this;
    }

    /**
     * The maximum duration of a fault; 3 s by default. A pause lasts at least three quarters of it: set it to more than
     * the application's leases and its {@code session.timeout.ms}, otherwise pauses have no consequences.
     */
    public FaultRun faultsLast(Duration longest) {
        settings = settings.lasting(longest);
        return this;
    }

    /**
     * How long the application may take to start, and how long it may go without acknowledging a message after a fault
     * and at the end; 5 minutes by default.
     */
    public FaultRun atMost(Duration limit) {
        atMost = Objects.requireNonNull(limit, "limit");
        return this;
    }

    /**
     * For how long no effect may have appeared before effects are taken for final; 1 s by default, and never more than
     * {@link #atMost}. A process that was paused while a handler ran may have the second effect of a message long after all
     * is acknowledged: set it to more than a handler takes.
     */
    public FaultRun quietFor(Duration time) {
        quiet = Objects.requireNonNull(time, "time");
        return this;
    }

    /**
     * Plays the plan. Returns when all sent messages are acknowledged and no more effects appear, or when the
     * application has acknowledged nothing for the time of {@link #atMost}.
     *
     * @throws IllegalArgumentException when a setting is missing or invalid; names the setting
     * @throws IllegalStateException when the application cannot be started, the effects cannot be counted, or faults hit
     *     nothing: the application didn't use the proxy of a store, no guest of the group was assigned a partition, or no
     *     kill that was to happen between two steps found one
     */
    public FaultReport play() {
        played = true;
        Traffic sent = required("traffic", traffic);
        required("effects", effects.sources().isEmpty() ? null : effects);
        check(
                effects.sources().size() == 1 || effects.areBySteps(),
                "Call either effects(...), or step(...) for each step of the handler");
        checkFaults();
        Set<String> ids = ids(sent);
        Path output = main == null ? null : directory();
        logs = output;
        History history = new History();
        Observer observer = new Observer(sent, effects, history);
        open.add(0, observer);
        requireFresh(ids, observer.effectsNow());
        AppProcesses processes = main == null || output == null ? null : processes(main, output, sent, history);
        Instant begin = Instant.now();
        Injector injector =
                new Injector(processes, stores, sent, history, effects.steps().size(), atMost);
        Observer.Look last =
                new Player(sent, processes, injector, observer, history, atMost, quiet).play(DrawnPlan.of(settings));
        if (history.brokenOffAfter() == null && last.unacked().isEmpty()) { // otherwise the report has more to say
            injector.requireHits();
        }
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
                "Call application(...) to run the listener in its own processes, or inThisProcess() if it runs in this"
                        + " JVM already");
        for (Fault fault : Fault.values()) {
            if (settings.faults().contains(fault)) {
                check(
                        !fault.hitsProcess() || main != null,
                        fault
                                + " would kill or pause this JVM. Run the listener in its own processes with"
                                + " application(...), or set faults without " + Fault.KILL + " and " + Fault.PAUSE);
                check(
                        !fault.hitsStore() || !stores.isEmpty(),
                        fault + " needs a store. Call store(...), or set faults without " + Fault.STORE_CUT + " and "
                                + Fault.SLOW_STORE);
            }
        }
        check(
                main != null
                        || stores.stream().allMatch(store -> store.argument().isEmpty()),
                "A listener in this process cannot be redirected to a proxy's port. Start it with the port of a"
                        + " TcpProxy, and pass that proxy to store(...)");
    }

    private Set<String> ids(Traffic sent) {
        Set<String> ids = new LinkedHashSet<>();
        for (int number = 0; number < settings.messages(); number++) {
            String id = sent.id(number);
            check(id != null, "Message " + number + " of " + sent.description() + " has no usable message ID");
            check(
                    ids.add(Objects.requireNonNull(id)),
                    "Message " + number + " of " + sent.description()
                            + " has the ID of another message. Give each message its own ID; the fault " + Fault.COPIES
                            + " sends copies");
        }
        return ids;
    }

    private static void requireFresh(Set<String> ids, Effects.Counts before) {
        ids.stream().filter(before::hasAny).findFirst().ifPresent(id -> {
            throw new IllegalArgumentException("Message " + PlanText.id(id)
                    + " had already taken effect before the plan started. Use new message IDs in each run");
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
        check(value != null, "Call " + what + "(...) first: it is required");
        return Objects.requireNonNull(value);
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    PlanSettings settings() {
        return settings;
    }

    /** Whether {@link #play()} was called. */
    boolean wasPlayed() {
        return played;
    }

    /** Deletes the application's output. */
    void deleteOutput() {
        if (logs != null) {
            for (int i = 0; i < DrawnPlan.PROCESSES; i++) {
                AppProcesses.log(logs, i).toFile().delete();
            }
            logs.toFile().delete();
        }
    }

    /** Ends the application's processes, and closes everything else that was opened for the run. */
    @Override
    public void close() {
        IllegalStateException failure = null;
        for (AutoCloseable each : open) {
            try {
                each.close();
            } catch (Exception e) {
                failure = failure == null
                        ? new IllegalStateException("Cannot close the run of a fault plan", e)
                        : failure;
            }
        }
        open.clear();
        if (failure != null) {
            throw failure;
        }
    }
}
