package io.dedup.soak.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class GrowthTest {
    private static final int SAMPLES = 360;
    private final Random random = new Random(1);

    @Test
    void noiseIsNoGrowth() {
        assertThat(isTooMuch(i -> 40 + 10 * random.nextGaussian())).isFalse();
    }

    @Test
    void slowLeakIsFoundInNoise() {
        // 10 MiB in an hour, with samples that differ by more than that
        assertThat(isTooMuch(i -> 40 + 10.0 * i / SAMPLES + 5 * random.nextDouble()))
                .isTrue();
    }

    @Test
    void warmUpIsNoGrowth() {
        assertThat(isTooMuch(i -> Math.min(50, i))).isFalse();
    }

    @Test
    void momentsAreNoGrowth() {
        assertThat(isTooMuch(i -> i % 10 == 0 && i > SAMPLES / 2 ? 120 : 40)).isFalse();
    }

    @Test
    void whatComesDownIsNoGrowth() {
        assertThat(isTooMuch(i -> 100 - 50.0 * i / SAMPLES)).isFalse();
    }

    @Test
    void stepIsGrowth() {
        assertThat(isTooMuch(i -> i > SAMPLES * 3 / 4 ? 45 : 40)).isTrue();
    }

    @Test
    void tooFewSamplesTellNothing() {
        List<Sample> few = samples(i -> 1).subList(0, 5);
        assertThatThrownBy(() -> Growth.of(few)).isInstanceOf(IllegalArgumentException.class);
    }

    private static boolean isTooMuch(IntToDoubleFunction heap) {
        List<Growth> growths = Growth.of(samples(heap));
        assertThat(growths).extracting(Growth::measure).containsExactly(Measure.values());
        assertThat(growths.subList(1, growths.size())).noneMatch(Growth::isTooMuch);
        return growths.get(0).isTooMuch();
    }

    private static List<Sample> samples(IntToDoubleFunction heap) {
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < SAMPLES; i++) {
            Map<Measure, Double> values = new EnumMap<>(Measure.class);
            for (Measure measure : Measure.values()) {
                values.put(measure, 7.0);
            }
            values.put(Measure.HEAP, heap.applyAsDouble(i));
            samples.add(new Sample(10.0 * i, i, 0, 0, values));
        }
        return samples;
    }
}
