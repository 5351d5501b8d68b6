package io.dedup.soak.run;

import io.dedup.soak.consumer.ConsumerMain;
import io.dedup.soak.measure.Measure;
import io.dedup.soak.plan.Assignment;
import io.dedup.testservers.process.ChildJvm;
import java.io.IOException;
import java.io.Writer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The measured process. */
final class ConsumerProcess implements AutoCloseable {
    private static final List<String> JVM = List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError");
    private static final long PATIENCE_SECONDS = 300;

    private final Process process;
    private final Writer input;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    ConsumerProcess(Assignment assignment) throws IOException {
        ProcessBuilder builder =
                ChildJvm.command(JVM, ConsumerMain.class, assignment.arguments().toArray(String[]::new));
        process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        input = process.outputWriter();
        Thread reader = new Thread(() -> process.inputReader().lines().forEach(lines::add), "reader");
        reader.setDaemon(true);
        reader.start();
    }

    void awaitReady() throws InterruptedException {
        answer("READY");
    }

    Map<Measure, Double> sample() throws IOException, InterruptedException {
        input.write("sample\n");
        input.flush();
        Map<Measure, Double> values = new EnumMap<>(Measure.class);
        for (String each : answer("").split(" ", -1)) {
            int equals = each.indexOf('=');
            values.put(Measure.valueOf(each.substring(0, equals)), Double.valueOf(each.substring(equals + 1)));
        }
        return values;
    }

    /** Ends in an orderly way, which fails if a thread is left running. */
    void end() throws IOException, InterruptedException {
        input.close();
        answer("ENDED");
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IllegalStateException("the consumer process should have ended, and with 0: " + process);
        }
    }

    private String answer(String start) throws InterruptedException {
        for (int i = 0; i < PATIENCE_SECONDS; i++) {
            @Nullable String line = lines.poll(1, TimeUnit.SECONDS);
            if (line != null && line.startsWith(start)) {
                return line;
            }
            if (line != null || !process.isAlive()) {
                throw new IllegalStateException("expected " + start + " of " + process + ", but it said " + line);
            }
        }
        throw new IllegalStateException("nothing from " + process + " within " + PATIENCE_SECONDS + " s");
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
