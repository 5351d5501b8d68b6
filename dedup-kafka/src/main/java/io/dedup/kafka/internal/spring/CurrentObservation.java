package io.dedup.kafka.internal.spring;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The observation of the record that a container's thread is handling. The adapter of an annotated method closes it for
 * each record that it is given, but not for the others.
 */
public final class CurrentObservation {
    private volatile ObservationRegistry registry = ObservationRegistry.NOOP;

    public void in(ObservationRegistry observations) {
        registry = observations;
    }

    public void close(@Nullable Throwable error) {
        Observation current = registry.getCurrentObservation();
        if (current != null) {
            if (error != null) {
                current.error(error);
            }
            current.stop();
        }
    }

    /** Marks the observation as failed later, from any thread. */
    public Consumer<Throwable> failure() {
        Observation current = registry.getCurrentObservation();
        return current == null ? failure -> {} : current::error;
    }
}
