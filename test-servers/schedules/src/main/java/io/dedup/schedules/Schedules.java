package io.dedup.schedules;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import kotlin.Unit;
import org.jspecify.annotations.Nullable;
import org.pastalab.fray.core.TestRunner;
import org.pastalab.fray.core.command.Configuration;
import org.pastalab.fray.core.command.ExecutionInfo;
import org.pastalab.fray.core.command.LambdaExecutor;
import org.pastalab.fray.core.command.NetworkDelegateType;
import org.pastalab.fray.core.command.SystemTimeDelegateType;
import org.pastalab.fray.core.randomness.ControlledRandomProvider;
import org.pastalab.fray.core.scheduler.POSScheduler;

/**
 * Runs each scene under thousands of schedules of its threads, which Fray draws by partial order sampling (Li and others, "Fray: An
 * Efficient General-Purpose Concurrency Testing Platform for the JVM", OOPSLA 2025). One thread runs at a time, and each of its steps
 * takes {@value #STEP_NANOS} ns of simulated time.
 */
public final class Schedules {
    private static final long STEP_NANOS = 1_000_000;
    private static final int MOST = 1_000_000;

    private Schedules() {}

    /** The arguments: seconds for each scene; the folder for recordings; the scenes, separated by commas, or {@code all}. */
    public static void main(String[] arguments) throws IOException {
        PrintStream out = System.out;
        System.setOut(
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)); // Fray's progress
        int seconds = Integer.parseInt(arguments[0]);
        Path folder = Path.of(arguments[1]);
        List<String> names = List.of(arguments[2].split(","));
        Map<String, Runnable> scenes = new TreeMap<>(EngineScenes.all());
        scenes.putAll(PollScenes.all());
        scenes.putAll(AckScenes.all());
        boolean allHold = true;
        for (Map.Entry<String, Runnable> scene : scenes.entrySet()) {
            if (names.contains("all") || names.contains(scene.getKey())) {
                AtomicInteger schedules = new AtomicInteger();
                Path recordings = Files.createDirectories(folder.resolve(scene.getKey()));
                Throwable failure = run(scene.getValue(), schedules, seconds, recordings);
                allHold &= failure == null;
                out.println(scene.getKey() + ": " + schedules + " schedules, " + (failure == null ? "holds" : "FAILS"));
                if (failure != null) {
                    failure.printStackTrace(out);
                    out.println("recorded in " + recordings.resolve("recording"));
                }
            }
        }
        System.exit(allHold ? 0 : 1);
    }

    private static @Nullable Throwable run(Runnable scene, AtomicInteger schedules, int seconds, Path folder) {
        LambdaExecutor executor = new LambdaExecutor(() -> {
            schedules.incrementAndGet();
            scene.run();
            return Unit.INSTANCE;
        });
        Configuration configuration = new Configuration(
                new ExecutionInfo(executor, /* ignoreUnhandledExceptions */ false, /* interleaveMemoryOps */ false, -1),
                folder,
                MOST,
                seconds,
                new POSScheduler(),
                new ControlledRandomProvider(),
                /* fullSchedule */ true,
                /* exploreMode */ false,
                /* noExitWhenBugFound */ true,
                /* isReplay */ false,
                /* noFray */ false,
                /* dummyRun */ true,
                NetworkDelegateType.NONE,
                SystemTimeDelegateType.MOCK,
                STEP_NANOS,
                /* ignoreTimedBlock */ true,
                /* sleepAsYield */ true,
                /* resetClassLoader */ false,
                /* redirectStdout */ false,
                /* abortThreadExecutionAfterMainExit */ false,
                /* resolveRacingOperationStackTraceHash */ false,
                /* timelineCoverageType */ null);
        return new TestRunner(configuration).run();
    }
}
