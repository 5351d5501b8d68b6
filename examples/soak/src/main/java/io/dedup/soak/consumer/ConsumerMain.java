package io.dedup.soak.consumer;

import io.dedup.soak.plan.Assignment;
import io.dedup.testservers.ParentWatch;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * The measured process. Prints {@code READY} when its listeners run, answers each line of its input with a sample, and
 * ends in an orderly way with its input.
 */
public final class ConsumerMain {
    private ConsumerMain() {}

    /** Arguments: an {@link Assignment}. */
    public static void main(String[] args) throws Exception {
        ParentWatch.start();
        Assignment assignment = Assignment.of(args);
        PlantedLeak leak = new PlantedLeak(assignment.leak());
        try (Stores stores = new Stores(assignment);
                Listeners listeners = new Listeners(assignment, stores);
                Disturber disturber = new Disturber(listeners, assignment.seed());
                BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            listeners.start();
            disturber.start();
            say("READY");
            while (input.readLine() != null) {
                leak.leak();
                say(OwnSample.take());
            }
        }
        say("ENDED");
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
