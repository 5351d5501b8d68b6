package io.dedup.kafka.internal.ack;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class OffsetRangesTest {
    @Test
    void isAsASet() {
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            OffsetRanges ranges = new OffsetRanges();
            TreeSet<Long> set = new TreeSet<>();
            for (int step = 0; step < 100; step++) {
                long offset = random.nextInt(40);
                if (random.nextInt(10) == 0) {
                    ranges.removeBelow(offset);
                    set.headSet(offset).clear();
                } else {
                    ranges.add(offset);
                    set.add(offset);
                }
                assertThat(ranges.size()).isEqualTo(set.size());
                for (long each = -1; each <= 40; each++) {
                    assertThat(ranges.contains(each)).isEqualTo(set.contains(each));
                }
            }
        }
    }
}
