package io.dedup.tools;

import io.dedup.rules.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    @Test
    void packagesAreSmallAndFormNoCircle() {
        Rooms.of(ToolsMain.class).check();
    }
}
