package io.dedup.soak.measure;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * Everything at one moment.
 *
 * @param seconds since the start
 * @param ids messages that took effect
 * @param redisBytes what Redis has in memory
 * @param redisKeys how many records it has
 */
public record Sample(double seconds, long ids, long redisBytes, long redisKeys, Map<Measure, Double> values) {
    public Sample {
        values = new EnumMap<>(values);
    }

    public double value(Measure measure) {
        return Objects.requireNonNull(values.get(measure));
    }
}
