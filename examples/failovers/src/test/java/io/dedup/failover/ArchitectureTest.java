package io.dedup.failover;

import io.dedup.rules.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    @Test
    void packagesAreSmallAndFormNoCircle() {
        Rooms.of(FailoversMain.class).check();
    }
}
