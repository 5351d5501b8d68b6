package io.dedup.soak;

import io.dedup.rules.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    @Test
    void packagesAreSmallAndFormNoCircle() {
        Rooms.of(SoakMain.class).check();
    }
}
